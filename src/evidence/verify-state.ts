import { canonicalJson } from '../model/json.js';
import { isClean } from '../model/lease.js';
import type { UndoneOutcome } from '../model/lease.js';
import { factsIn, foldEvents } from './fold-events.js';
import type { FoldedRun } from './fold-events.js';
import { isClosed } from './lease-row.js';
import { NEW_STEP } from './reduce.js';
import type { RunEvidence } from './run-evidence.js';
import type { VerifyProblem } from './verify-problem.js';

/** Checks that the rows of runs, steps and leases say what the events say, and that what was begun is complete. */
export function verifyState(evidence: RunEvidence): readonly VerifyProblem[] {
  const folded = foldEvents(evidence.events);
  return [
    ...verifyRunRow(evidence, folded),
    ...verifySteps(evidence, folded),
    ...verifyLeases(evidence, folded),
    ...verifyResources(evidence),
    ...verifyCompleteness(evidence, folded),
  ];
}

/** The names of members that differ, with both values. */
function differences(row: object, expected: object): readonly string[] {
  return Object.entries(expected)
    .map(([name, value]) => ({ name, value, found: (row as Record<string, unknown>)[name] }))
    .filter(({ value, found }) => canonicalJson(value ?? null) !== canonicalJson(found ?? null))
    .map(({ name, value, found }) => `${name} is ${JSON.stringify(found)}, the history says ${JSON.stringify(value)}`);
}

function verifyRunRow({ run, events }: RunEvidence, folded: FoldedRun): readonly VerifyProblem[] {
  const expected = { ...folded.run, created_at: events[0]?.at ?? run.created_at };
  return differences(run, expected).map((what) => ({ what, where: `runs ${run.run_id}` }));
}

function verifySteps({ run, steps }: RunEvidence, folded: FoldedRun): readonly VerifyProblem[] {
  const rows = new Map(steps.map((row) => [row.step_id, row]));
  const planned = run.plan.steps.flatMap((step) => {
    const where = `steps ${step.step_id}`;
    const row = rows.get(step.step_id);
    if (row === undefined) return [{ what: 'this row was removed', where }];
    const { kind, seq, block } = step;
    const expected = { kind, seq, block, ...(folded.steps.get(step.step_id) ?? NEW_STEP) };
    return differences(row, expected).map((what) => ({ what, where }));
  });
  const known = new Set(run.plan.steps.map((step) => step.step_id));
  const added = steps.filter((row) => !known.has(row.step_id));
  return [...planned, ...added.map((row) => ({ what: 'this row was added', where: `steps ${row.step_id}` }))];
}

function verifyLeases({ leases }: RunEvidence, folded: FoldedRun): readonly VerifyProblem[] {
  const rows = new Map(leases.map((row) => [row.lease_id, row]));
  const recorded = [...folded.leases.values()].flatMap((lease) => {
    const where = `leases ${lease.lease_id}`;
    const row = rows.get(lease.lease_id);
    if (row === undefined) return [{ what: 'this row was removed', where }];
    const expected = { ...factsIn(lease), step_id: lease.step_id, fault: lease.fault, target_name: lease.target };
    return differences(row, expected).map((what) => ({ what, where }));
  });
  const added = leases.filter((row) => !folded.leases.has(row.lease_id));
  return [...recorded, ...added.map((row) => ({ what: 'this row was added', where: `leases ${row.lease_id}` }))];
}

/** Open leases own their resources and hold them for their run; closed ones own nothing. */
function verifyResources({ leases, resources, holds }: RunEvidence): readonly VerifyProblem[] {
  const open = new Set(leases.filter((lease) => !isClosed(lease.state)).map((lease) => lease.lease_id));
  const wanted = new Set(leases.filter((lease) => open.has(lease.lease_id)).flatMap((lease) => lease.spec.resources));
  const freed = resources
    .filter((row) => (row.released_at === null) !== open.has(row.lease_id))
    .map((row) => ({
      what: open.has(row.lease_id) ? 'freed while its lease is open' : 'not freed though its lease is closed',
      where: `lease_resources ${row.lease_id} ${row.resource}`,
    }));
  const unheld = [...wanted].filter((resource) => !holds.includes(resource));
  const stale = holds.filter((resource) => !wanted.has(resource));
  return [
    ...freed,
    ...unheld.map((resource) => ({
      what: 'an open lease owns this resource, but it is not held',
      where: `resource_holds ${resource}`,
    })),
    ...stale.map((resource) => ({
      what: 'held, but no open lease of the run owns it',
      where: `resource_holds ${resource}`,
    })),
  ];
}

/** Every fault injected has an undo record, a proof of its start, and, once its lease is closed, a proof of its end. */
function verifyCompleteness(evidence: RunEvidence, folded: FoldedRun): readonly VerifyProblem[] {
  const has = (leaseId: string, stage: string, outcome?: string): boolean =>
    evidence.proofs.some(
      (proof) =>
        proof.lease_id === leaseId && proof.stage === stage && (outcome === undefined || proof.outcome === outcome),
    );
  return [...folded.leases.values()].flatMap((lease) => {
    const where = `leases ${lease.lease_id}`;
    const problems: VerifyProblem[] = [];
    const injected = lease.injected_at !== null;
    if (injected && !lease.armed) problems.push({ what: 'injected without an undo record', where });
    if (lease.injection === 'confirmed' && !has(lease.lease_id, 'injected', 'confirmed')) {
      problems.push({ what: 'called confirmed without a proof that confirms it', where });
    }
    const clean = lease.outcome !== null && isClean(lease.outcome as UndoneOutcome);
    if (injected && clean && !has(lease.lease_id, 'undone', lease.outcome)) {
      problems.push({ what: `called ${lease.outcome} without a proof that says so`, where });
    }
    if (injected && lease.state === 'released' && !clean)
      problems.push({ what: 'released without a proven end', where });
    return problems;
  });
}
