import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/postgres.js';
import {
  at,
  exampleBinding,
  examplePlan,
  exampleRequest,
  injectReport,
  samplesBetween,
  undoRecord,
  undoReport,
} from '../../test/run-fixture.js';
import type { RunEvent } from '../model/event.js';
import type { LeaseSpec, UndoReport } from '../model/lease.js';
import { admitRun } from './admit-run.js';
import { concludeRun, refuseRun } from './end-run.js';
import { appendEvent } from './event-store.js';
import { recordArmed, recordInjected, recordUndone } from './lease-store.js';
import { createRun, findRun } from './run-store.js';
import { writeSamples } from './sample-store.js';
import { hashOfEvent } from './hash-chain.js';
import { loadEvidence } from './run-evidence.js';
import type { RunEvidence } from './run-evidence.js';
import { verifyEvidence, verifyRun } from './verify.js';

const database = testDatabase();
let made = 0;

const DECISIONS = [
  {
    gate: 'risk_ceiling',
    step_id: 'catalog-0001',
    fault: 'container.pause',
    allowed: true,
    reason: 'medium is within high',
  },
  { gate: 'max_hosts', step_id: null, fault: null, allowed: true, reason: '1 of 2 hosts' },
];

/** A whole run as the workflow records it, on a container of its own. */
async function wholeRun(
  options: { readonly undo?: Partial<UndoReport> } = {},
): Promise<{ runId: string; lease: LeaseSpec }> {
  made += 1;
  const { db } = database;
  const plan = examplePlan();
  const randomHex = (): string => made.toString(16).padStart(8, '0');
  const { runId } = await createRun(db, {
    name: plan.name,
    plan,
    requestKey: `key-${made}`,
    request: exampleRequest(),
    randomHex,
  });
  const binding = exampleBinding({ runId, plan });
  const spec = binding.leases[0] as LeaseSpec;
  const lease = { ...spec, resources: [`engine-1/${runId}/state`] };
  await admitRun(db, { runId, binding: { ...binding, leases: [lease] }, decisions: DECISIONS });
  await writeSamples(db, { runId, samples: samplesBetween({ fromMs: 0, toMs: 900 }) });
  await appendEvent(db, { runId, kind: 'step.started', at: at(950), payload: { step_id: lease.step_id } });
  await recordArmed(db, { record: undoRecord(lease) });
  await recordInjected(db, { runId, report: injectReport(lease) });
  await writeSamples(db, { runId, samples: samplesBetween({ fromMs: 1_000, toMs: 12_000 }) });
  await recordUndone(db, { runId, report: undoReport(lease, options.undo) });
  await appendEvent(db, { runId, kind: 'step.finished', at: at(11_050), payload: { step_id: lease.step_id } });
  await appendEvent(db, {
    runId,
    kind: 'check.evaluated',
    at: at(11_500),
    payload: {
      step_id: 'check-0002-0',
      check_id: 'api-up',
      passed: true,
      measures: { status: 200, latency_ms: 31.2 },
      sample: { source_id: 'api-up', slot: 0, at: at(11_460), ok: true, status: 200, latency_ms: 31.2, error: null },
    },
  });
  await concludeRun(db, { runId, aborted: false, problem: null, at: at(12_000) });
  return { runId, lease };
}

describe('verification of a run', () => {
  test('finds nothing wrong with a run that went its way, and the verdict is pass', async () => {
    const { runId } = await wholeRun();
    const report = await verifyRun(database.db, runId);
    expect(report.problems).toEqual([]);
    expect(report.ok).toBe(true);
    expect(report.checked).toEqual({
      events: expect.any(Number),
      steps: 2,
      leases: 1,
      undo_records: 1,
      proofs: 3,
      samples: 25,
      decisions: 2,
      criteria: 3,
    });
    const run = await findRun(database.db, runId);
    expect(run?.result).toMatchObject({ verdict: 'pass', status: 'completed', reasons: [] });
  });

  test('finds nothing wrong when a dirty lease is recovered after the run ended as fail', async () => {
    const { runId, lease } = await wholeRun({ undo: { outcome: 'residue', problem: 'still paused' } });
    expect((await findRun(database.db, runId))?.result).toMatchObject({ verdict: 'fail', status: 'failed' });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
    await recordUndone(database.db, {
      runId,
      report: undoReport(lease, { released_by: 'operator', undone_at: at(60_000) }),
    });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
    expect((await findRun(database.db, runId))?.result?.verdict).toBe('fail');
  });

  test('finds nothing wrong with a run that was refused', async () => {
    const plan = examplePlan();
    const { runId } = await createRun(database.db, {
      name: 'refused',
      plan,
      requestKey: 'refused',
      request: exampleRequest(),
      randomHex: () => 'ffffffff',
    });
    await refuseRun(database.db, {
      runId,
      problem: { code: 'safety.refused', message: 'the fault is denied' },
      decisions: [
        { gate: 'deny', step_id: 'catalog-0001', fault: 'container.pause', allowed: false, reason: 'denied' },
      ],
      at: at(0),
    });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
    expect((await findRun(database.db, runId))?.result).toMatchObject({
      status: 'failed',
      verdict: 'undecided',
      problem: { code: 'safety.refused' },
      faults: [{ lease_id: null, injection: 'not_started', undo: 'none' }],
    });
  });

  test('finds nothing wrong with a run that still goes on', async () => {
    const plan = examplePlan();
    const { runId } = await createRun(database.db, {
      name: 'going on',
      plan,
      requestKey: 'going-on',
      request: exampleRequest(),
      randomHex: () => 'eeeeeeee',
    });
    const binding = exampleBinding({ runId, plan });
    await admitRun(database.db, { runId, binding, decisions: [] });
    await recordArmed(database.db, { record: undoRecord(binding.leases[0] as LeaseSpec) });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });
});

/** Each edit is one statement on one row, as somebody with access to the database would make it. */
const EDITS: readonly { readonly edit: string; readonly sql: string; readonly where: RegExp }[] = [
  {
    edit: 'an event edited',
    sql: `update events set payload = '{"to":"released"}' where run_id = $run and seq = 5`,
    where: /^events 5$/,
  },
  {
    edit: 'the time of an event edited',
    sql: `update events set at = at + interval '1 second' where run_id = $run and seq = 4`,
    where: /^events 4$/,
  },
  {
    edit: 'the time of a record edited',
    sql: `update events set recorded_at = recorded_at - interval '1 day' where run_id = $run and seq = 4`,
    where: /^events 4$/,
  },
  { edit: 'an event removed', sql: `delete from events where run_id = $run and seq = 6`, where: /^events 6$/ },
  {
    edit: 'the last event cut off',
    sql: `delete from events where run_id = $run and seq = (select max(seq) from events where run_id = $run)`,
    where: /^events \d+$/,
  },
  {
    edit: 'an event added at the end',
    sql: `insert into events select run_id, seq + 1, kind, at, recorded_at, payload, hash, hash from events where run_id = $run order by seq desc limit 1`,
    where: /^events \d+$/,
  },
  {
    edit: 'a sample edited',
    sql: `update samples set ok = false where run_id = $run and slot = 3`,
    where: /^samples web\/3$/,
  },
  {
    edit: 'a latency edited',
    sql: `update samples set latency_ms = 11 where run_id = $run and slot = 7`,
    where: /^samples web\/7$/,
  },
  { edit: 'a sample removed', sql: `delete from samples where run_id = $run and slot = 8`, where: /^samples of event/ },
  {
    edit: 'a sample added',
    sql: `insert into samples select run_id, 'web', 999, at, ok, status, latency_ms, error, batch_seq from samples where run_id = $run and slot = 1`,
    where: /^samples web\/999$/,
  },
  {
    edit: 'a sample added to no batch',
    sql: `insert into samples select run_id, 'web', 998, at, ok, status, latency_ms, error, 9999 from samples where run_id = $run and slot = 1`,
    where: /^samples web\/998$/,
  },
  {
    edit: 'an undo record edited',
    sql: `update undo_records set record = '{}' where run_id = $run`,
    where: /^undo_records l-/,
  },
  { edit: 'an undo record removed', sql: `delete from undo_records where run_id = $run`, where: /^undo_records l-/ },
  {
    edit: 'a proof edited',
    sql: `update proofs set read = '{"status":"running"}' where run_id = $run and stage = 'injected'`,
    where: /^proofs l-\w+\/injected$/,
  },
  {
    edit: 'the outcome of a proof edited',
    sql: `update proofs set outcome = 'residue' where run_id = $run and stage = 'undone'`,
    where: /^proofs l-\w+\/undone$/,
  },
  {
    edit: 'a proof removed',
    sql: `delete from proofs where run_id = $run and stage = 'undone'`,
    where: /^proofs l-\w+\/undone$/,
  },
  {
    edit: 'a decision edited',
    sql: `update decisions set reason = 'whatever' where run_id = $run and position = 1`,
    where: /^decisions 1$/,
  },
  {
    edit: 'a decision removed',
    sql: `delete from decisions where run_id = $run and position = 1`,
    where: /^decisions 1$/,
  },
  {
    edit: 'the state of a lease edited',
    sql: `update leases set state = 'dirty' where run_id = $run`,
    where: /^leases l-/,
  },
  {
    edit: 'a time of a lease edited',
    sql: `update leases set undone_at = undone_at - interval '5 seconds' where run_id = $run`,
    where: /^leases l-/,
  },
  {
    edit: 'the specification of a lease edited',
    sql: `update leases set spec = '{"resources":[]}' where run_id = $run`,
    where: /^leases l-/,
  },
  {
    edit: 'a step edited',
    sql: `update steps set state = 'skipped' where run_id = $run and kind = 'fault'`,
    where: /^steps catalog-0001$/,
  },
  {
    edit: 'the status of the run edited',
    sql: `update runs set status = 'aborted' where run_id = $run`,
    where: /^runs r-/,
  },
  {
    edit: 'the verdict edited',
    sql: `update runs set result = jsonb_set(result::jsonb, '{verdict}', '"fail"')::json where run_id = $run`,
    where: /^runs r-/,
  },
  {
    edit: 'the request edited',
    sql: `update runs set request = jsonb_set(request::jsonb, '{actor}', '"nobody"')::json where run_id = $run`,
    where: /^runs r-/,
  },
  {
    edit: 'the binding edited',
    sql: `update runs set binding = jsonb_set(binding::jsonb, '{project}', '"other"')::json where run_id = $run`,
    where: /^runs r-/,
  },
  {
    edit: 'a criterion edited',
    sql: `update criteria set passed = false where run_id = $run and position = 0`,
    where: /^criteria 0$/,
  },
];

describe('verification names the row of', () => {
  test.each(EDITS)('$edit', async ({ sql: text, where }) => {
    const { runId } = await wholeRun();
    const { db } = database;
    const { numAffectedRows } = await sql.raw(text.replaceAll('$run', `'${runId}'`)).execute(db);
    expect(numAffectedRows).toBe(1n);
    const report = await verifyRun(db, runId);
    expect(report.ok).toBe(false);
    expect(report.problems.map((problem) => problem.where)).toContainEqual(expect.stringMatching(where));
  });

  test.each(['{}', 'null', '[]', '{"steps":[{}]}'])('a plan that is %s now', async (text) => {
    const { runId } = await wholeRun();
    const before = (await findRun(database.db, runId))?.plan;
    try {
      await sql`update plans set plan = ${text}::json`.execute(database.db);
      const report = await verifyRun(database.db, runId);
      expect(report.problems.map((problem) => problem.where)).toContain(`plans ${before?.digest}`);
    } finally {
      await sql`update plans set plan = ${JSON.stringify(before)}::json`.execute(database.db);
    }
  });

  test('an edited plan', async () => {
    const { runId } = await wholeRun();
    const before = (await findRun(database.db, runId))?.plan;
    try {
      await sql`update plans set plan = jsonb_set(plan::jsonb, '{steps,0,duration_ms}', '1')::json`.execute(
        database.db,
      );
      const report = await verifyRun(database.db, runId);
      expect(report.problems.map((problem) => problem.where)).toContain(`plans ${before?.digest}`);
    } finally {
      await sql`update plans set plan = ${JSON.stringify(before)}`.execute(database.db);
    }
  });
});

describe('verification of rows changed with care', () => {
  /** The evidence of a whole run with one event changed, and that event's own hash made to fit. */
  async function rehashed(
    pick: (events: readonly RunEvent[]) => RunEvent | undefined,
  ): Promise<{ evidence: RunEvidence; event: RunEvent }> {
    const evidence = await loadEvidence(database.db, (await wholeRun()).runId);
    const event = pick(evidence.events) as RunEvent;
    const changed = { ...event, payload: { ...event.payload, note: 'changed' } };
    const events = evidence.events.map((other) =>
      other === event ? { ...changed, hash: hashOfEvent(changed) } : other,
    );
    return { evidence: { ...evidence, events }, event };
  }

  test('finds an event whose own hash was made to fit by the event after it', async () => {
    const { evidence, event } = await rehashed((events) =>
      events.find((candidate) => candidate.kind === 'fault.injected'),
    );
    expect(verifyEvidence(evidence).problems).toEqual([
      { where: `events ${event.seq + 1}`, what: expect.stringContaining('does not follow the one before it') },
    ]);
  });

  test('finds a last event whose own hash was made to fit by the run', async () => {
    const { evidence, event } = await rehashed((events) => events.at(-1));
    expect(verifyEvidence(evidence).problems).toContainEqual({
      where: `events ${event.seq}`,
      what: 'the newest event is not the one the run ends with',
    });
  });

  test('finds a fault that was injected without an undo record, or ended without a proof', async () => {
    const { runId, lease } = await wholeRun();
    const evidence = await loadEvidence(database.db, runId);
    const where = `leases ${lease.lease_id}`;
    const unarmed = evidence.events.filter((event) => event.kind !== 'fault.armed');
    expect(verifyEvidence({ ...evidence, events: unarmed }).problems).toContainEqual({
      where,
      what: 'injected without an undo record',
    });
    const without = (stage: string) =>
      verifyEvidence({ ...evidence, proofs: evidence.proofs.filter((proof) => proof.stage !== stage) });
    expect(without('injected').problems).toContainEqual({
      where,
      what: 'called confirmed without a proof that confirms it',
    });
    expect(without('undone').problems).toContainEqual({ where, what: 'called restored without a proof that says so' });
  });

  test('finds a resource freed too early, and one held for nobody', async () => {
    const open = await loadEvidence(
      database.db,
      (await wholeRun({ undo: { outcome: 'residue', problem: 'left' } })).runId,
    );
    const [resource] = open.holds;
    expect(verifyEvidence({ ...open, holds: [] }).problems).toEqual([
      { where: `resource_holds ${resource}`, what: 'an open lease owns this resource, but it is not held' },
    ]);
    const closed = await loadEvidence(database.db, (await wholeRun()).runId);
    expect(verifyEvidence({ ...closed, holds: ['e/x/state'] }).problems).toEqual([
      { where: 'resource_holds e/x/state', what: 'held, but no open lease of the run owns it' },
    ]);
    const freed = closed.resources.map((row) => ({ ...row, released_at: null }));
    expect(verifyEvidence({ ...closed, resources: freed }).problems).toMatchObject([
      { what: 'not freed though its lease is closed' },
    ]);
  });
});
