import type { RunEvent } from '../model/event.js';
import { listMember, member, numberMember, textMember } from '../model/json-member.js';
import type { InjectionOutcome, UndoOutcome } from '../model/lease.js';
import type { FaultStep, PlanStep } from '../model/plan.js';
import type { BaselineFact, CheckFact, FaultFact, RunFacts, VerdictFacts } from '../verdict/facts.js';
import { foldEvents } from './fold-events.js';
import type { FoldedLease } from './fold-events.js';
import type { RunEvidence } from './run-evidence.js';

/**
 * What a run's verdict is computed from: its rows as they were when it ended. Events after its end (a later recovery) do not count,
 * nor do samples of batches recorded after it.
 */
export function verdictFactsOf(options: {
  readonly evidence: Pick<RunEvidence, 'run' | 'events' | 'samples'>;
  readonly end: Pick<RunFacts, 'ended_at' | 'aborted' | 'problem' | 'status'>;
  /** Events up to and including this one count; absent: all. */
  readonly untilSeq?: number;
}): VerdictFacts {
  const { evidence } = options;
  const untilSeq = options.untilSeq ?? Number.POSITIVE_INFINITY;
  const events = evidence.events.filter((event) => event.seq <= untilSeq);
  const folded = foldEvents(events);
  return {
    run: {
      run_id: evidence.run.run_id,
      plan: evidence.run.plan,
      started_at: folded.run.started_at ?? evidence.run.created_at,
      ...options.end,
    },
    faults: faultFacts(evidence.run.plan.steps, [...folded.leases.values()]),
    samples: evidence.samples.filter((sample) => sample.batch_seq <= untilSeq),
    checks: events.filter((event) => event.kind === 'check.evaluated').map(checkFact),
    baseline: baselineFact(events),
  };
}

/** Every planned fault, in the order of steps: once for each lease, or once as not started when it has none. */
function faultFacts(steps: readonly PlanStep[], leases: readonly FoldedLease[]): readonly FaultFact[] {
  return steps
    .filter((step) => step.kind === 'fault')
    .flatMap((step) => {
      const own = leases.filter((lease) => lease.step_id === step.step_id);
      return own.length === 0 ? [unboundFact(step)] : own.map(leaseFact);
    });
}

function unboundFact(step: FaultStep): FaultFact {
  return {
    step_id: step.step_id,
    fault: step.fault,
    target: step.target.container_name ?? step.target.service,
    lease_id: null,
    injection: 'not_started',
    undo: 'none',
    released_by: null,
    injected_at: null,
    undone_at: null,
    inject_ms: null,
    undo_ms: null,
  };
}

function leaseFact(lease: FoldedLease): FaultFact {
  const { step_id, fault, target, lease_id, released_by, injected_at, undone_at, inject_ms, undo_ms } = lease;
  return {
    step_id,
    fault,
    target,
    lease_id,
    injection: injectionOf(lease),
    undo: undoOf(lease),
    released_by,
    injected_at,
    undone_at,
    inject_ms,
    undo_ms,
  };
}

/** Armed and never heard of again: nobody can say whether it was injected. */
function injectionOf(lease: FoldedLease): InjectionOutcome {
  return lease.injection ?? (lease.armed ? 'inconclusive' : 'not_started');
}

/** A lease whose end was never recorded is not proven to be over; one that was never injected had nothing to undo. */
function undoOf(lease: FoldedLease): UndoOutcome {
  if (lease.injection === 'not_started' && lease.outcome === 'restored') return 'none';
  return lease.outcome ?? (lease.armed || lease.injected_at !== null ? 'unproven' : 'none');
}

function checkFact(event: RunEvent): CheckFact {
  const { payload } = event;
  const stepId = textMember(payload, 'step_id') ?? '?';
  const passed = payload['passed'] === true;
  const { sample } = payload;
  return {
    step_id: stepId,
    check_id: textMember(payload, 'check_id'),
    passed,
    sample: {
      source_id: textMember(sample, 'source_id') ?? stepId,
      slot: numberMember(sample, 'slot') ?? 0,
      at: textMember(sample, 'at') ?? event.at,
      ok: passed,
      status: numberMember(sample, 'status'),
      latency_ms: numberMember(sample, 'latency_ms'),
      error: textMember(sample, 'error'),
    },
  };
}

/** The last evaluation counts: a baseline may be looked at more than once before anything is injected. */
function baselineFact(events: readonly RunEvent[]): BaselineFact | null {
  const event = events.findLast((candidate) => candidate.kind === 'baseline.evaluated');
  if (event === undefined) return null;
  const broken = listMember(event.payload, 'entries')
    .filter((entry) => member(entry, 'passed') === false)
    .flatMap((entry) => textMember(entry, 'id') ?? []);
  return { passed: event.payload['passed'] === true, broken };
}
