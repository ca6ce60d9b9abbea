import { digestOf } from '../model/digest.js';
import type { RunEvent } from '../model/event.js';
import { listMember, numberMember, textMember } from '../model/json-member.js';
import { decisionDigest } from './decision-rows.js';
import { proofDigest } from './proof-rows.js';
import type { RunEvidence, SampleRow } from './run-evidence.js';
import { batchDigest, strangersIn } from './sample-rows.js';
import type { VerifyProblem } from './verify-problem.js';

/** Checks rows whose digests stand in events: plan, request, binding, decisions, undo records, proofs, samples. */
export function verifyRows(evidence: RunEvidence): readonly VerifyProblem[] {
  return [
    ...verifyDocuments(evidence),
    ...verifyDecisions(evidence),
    ...verifyUndoRecords(evidence),
    ...verifyProofs(evidence),
    ...verifySamples(evidence),
  ];
}

function ofKind(evidence: RunEvidence, kind: RunEvent['kind']): readonly RunEvent[] {
  return evidence.events.filter((event) => event.kind === kind);
}

function verifyDocuments({ run, ...evidence }: RunEvidence): readonly VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  const created = evidence.events.find((event) => event.kind === 'run.created')?.payload;
  const started = evidence.events.find((event) => event.kind === 'run.started')?.payload;
  const expect = (holds: boolean, what: string, where: string): void => {
    if (!holds) problems.push({ what, where });
  };
  const where = `runs ${run.run_id}`;
  expect(created !== undefined, 'the history does not say how the run was made', where);
  if (created !== undefined) {
    expect(created['plan_content'] === digestOf(run.plan), 'the plan was edited', `plans ${run.plan_digest}`);
    expect(created['plan_digest'] === run.plan_digest, 'the run points to another plan than it was made with', where);
    expect(created['request_digest'] === digestOf(run.request), 'the request was edited', where);
    expect(
      created['name'] === run.name && created['request_key'] === run.request_key,
      'name or request key was edited',
      where,
    );
  }
  if (started === undefined) expect(run.binding === null, 'there is a binding, but the run was never admitted', where);
  else {
    const same = run.binding !== null && digestOf(run.binding) === started['binding_content'];
    expect(same, 'the binding was edited or removed', where);
  }
  const specs = new Map((run.binding?.leases ?? []).map((spec) => [spec.lease_id, digestOf(spec)]));
  for (const lease of evidence.leases) {
    expect(
      specs.get(lease.lease_id) === digestOf(lease.spec),
      'the lease is not the one the run was admitted with',
      `leases ${lease.lease_id}`,
    );
  }
  return problems;
}

function verifyDecisions(evidence: RunEvidence): readonly VerifyProblem[] {
  const events = [...ofKind(evidence, 'safety.decided'), ...ofKind(evidence, 'safety.refused')];
  const expected = events.flatMap((event) => listMember(event.payload, 'digests'));
  const found = evidence.decisions.map(decisionDigest);
  const count = Math.max(expected.length, found.length);
  return Array.from({ length: count }, (_, position) => position)
    .filter((position) => expected[position] !== found[position])
    .map((position) => ({ what: differs(expected[position], found[position]), where: `decisions ${position}` }));
}

function differs(expected: unknown, found: unknown): string {
  if (found === undefined) return 'this row was removed';
  return expected === undefined ? 'this row was added' : 'this row was edited';
}

function verifyUndoRecords(evidence: RunEvidence): readonly VerifyProblem[] {
  const expected = new Map(
    ofKind(evidence, 'fault.armed').map((event) => [
      textMember(event.payload, 'lease_id') ?? '?',
      textMember(event.payload, 'record_digest'),
    ]),
  );
  const found = new Map(evidence.undo_records.map((row) => [row.lease_id, digestOf(row.record)]));
  return [...new Set([...expected.keys(), ...found.keys()])]
    .filter((leaseId) => expected.get(leaseId) !== found.get(leaseId))
    .map((leaseId) => ({ what: differs(expected.get(leaseId), found.get(leaseId)), where: `undo_records ${leaseId}` }));
}

function verifyProofs(evidence: RunEvidence): readonly VerifyProblem[] {
  const expected = new Map<string, string>();
  for (const event of evidence.events.filter((candidate) => candidate.kind.startsWith('fault.'))) {
    for (const proof of listMember(event.payload, 'proofs')) {
      const where = `proofs ${textMember(event.payload, 'lease_id') ?? '?'}/${textMember(proof, 'stage') ?? '?'}`;
      expected.set(textMember(proof, 'digest') ?? '?', where);
    }
  }
  const problems: VerifyProblem[] = [];
  for (const proof of evidence.proofs) {
    const where = `proofs ${proof.lease_id}/${proof.stage}`;
    const edited = proofDigest({ leaseId: proof.lease_id, proof }) !== proof.digest;
    if (edited) problems.push({ what: 'this row was edited', where });
    else if (!expected.has(proof.digest)) problems.push({ what: 'this row was added', where });
  }
  const present = new Set(evidence.proofs.map((proof) => proof.digest));
  for (const [digest, where] of expected) {
    if (!present.has(digest)) problems.push({ what: 'a proof that the history names is not there', where });
  }
  return problems;
}

function byBatch(samples: readonly SampleRow[]): ReadonlyMap<number, readonly SampleRow[]> {
  const batches = new Map<number, SampleRow[]>();
  for (const sample of samples) {
    const batch = batches.get(sample.batch_seq);
    if (batch === undefined) batches.set(sample.batch_seq, [sample]);
    else batch.push(sample);
  }
  return batches;
}

function verifySamples(evidence: RunEvidence): readonly VerifyProblem[] {
  const batches = new Map(ofKind(evidence, 'samples.recorded').map((event) => [event.seq, event.payload]));
  const rows = byBatch(evidence.samples);
  const problems: VerifyProblem[] = [];
  for (const [seq, samples] of rows) {
    if (batches.has(seq)) continue;
    problems.push(
      ...samples.map((sample) => ({ what: 'this row was added', where: `samples ${sample.source_id}/${sample.slot}` })),
    );
  }
  for (const [seq, payload] of batches) {
    const samples = rows.get(seq) ?? [];
    if (batchDigest(samples).digest === payload['digest']) continue;
    const strangers = strangersIn(samples, textMember(payload, 'rows') ?? '');
    problems.push(
      ...strangers.map((sample) => ({
        what: 'this row was edited or added',
        where: `samples ${sample.source_id}/${sample.slot}`,
      })),
    );
    const missing = (numberMember(payload, 'samples') ?? 0) - samples.length;
    if (missing > 0)
      problems.push({ what: `${missing} rows of this batch were removed`, where: `samples of event ${seq}` });
    else if (strangers.length === 0)
      problems.push({ what: 'rows of this batch were edited', where: `samples of event ${seq}` });
  }
  return problems;
}
