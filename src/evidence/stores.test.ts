import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { testDatabase } from '../../test/postgres.js';
import {
  at,
  exampleBinding,
  examplePlan,
  exampleRequest,
  faultStep,
  injectReport,
  samplesBetween,
  undoRecord,
  undoReport,
} from '../../test/run-fixture.js';
import type { Binding } from '../model/binding.js';
import type { MayhemError } from '../model/error.js';
import type { LeaseSpec } from '../model/lease.js';
import type { Plan } from '../model/plan.js';
import { admitRun } from './admit-run.js';
import { concludeRun, finishRun, refuseRun } from './end-run.js';
import { appendEvent, eventsAfter } from './event-store.js';
import { ensureInstallation } from './installation-store.js';
import {
  findLease,
  findUndoRecord,
  leasesOfRun,
  openLeases,
  recordArmed,
  recordInjected,
  recordKept,
  recordUndone,
} from './lease-store.js';
import { liftStop, markForwarded, pendingAborts, requestAbort, setStop, stopState } from './request-store.js';
import { activeRunIds, createRun, findRun, findRunByRequestKey, listRuns } from './run-store.js';
import { samplesOf, writeSamples } from './sample-store.js';
import { verifyRun } from './verify.js';
import { beat, deadWorkers, forgetWorker, liveWorkers } from './worker-store.js';

const database = testDatabase();
let made = 0;

async function pendingRun(plan: Plan = examplePlan(), key?: string): Promise<string> {
  made += 1;
  const hex = made.toString(16).padStart(8, '0');
  const requestKey = key ?? `key-${made}`;
  const { runId } = await createRun(database.db, {
    name: plan.name,
    plan,
    requestKey,
    request: exampleRequest(),
    randomHex: () => hex,
  });
  return runId;
}

/** A run admitted on containers of its own, unless `shared` names them. */
async function admittedRun(
  options: { readonly plan?: Plan; readonly container?: string } = {},
): Promise<{ runId: string; lease: LeaseSpec; binding: Binding }> {
  const plan = options.plan ?? examplePlan();
  const runId = await pendingRun(plan);
  const binding = bindingOn({ runId, plan, container: options.container ?? runId });
  await admitRun(database.db, { runId, binding, decisions: [] });
  return { runId, lease: binding.leases[0] as LeaseSpec, binding };
}

function bindingOn(options: { readonly runId: string; readonly plan: Plan; readonly container: string }): Binding {
  const binding = exampleBinding(options);
  return {
    ...binding,
    leases: binding.leases.map((lease) => ({ ...lease, resources: [`e/${options.container}/state`] })),
  };
}

async function kinds(runId: string): Promise<readonly string[]> {
  return (await eventsAfter(database.db, { runId, seq: 0 })).map((event) => event.kind);
}

describe('a run', () => {
  test('is made pending, with its plan stored once and its steps planned', async () => {
    const plan = examplePlan({ name: 'Order Flow!' });
    const [first, second] = [await pendingRun(plan), await pendingRun(plan)];
    expect(first).toMatch(/^r-order-flow-[0-9a-f]{8}$/);
    const run = await findRun(database.db, second);
    expect(run).toMatchObject({
      status: 'pending',
      plan,
      request: exampleRequest(),
      binding: null,
      result: null,
      started_at: null,
    });
    expect(await kinds(first)).toEqual(['run.created']);
    expect((await listRuns(database.db, { limit: 2 })).map((row) => row.run_id)).toEqual([second, first]);
    expect(await activeRunIds(database.db)).toEqual(expect.arrayContaining([first, second]));
  });

  test('gets another id when its first is taken', async () => {
    const taken = await pendingRun();
    const draws = [taken.slice(-8), 'abcdef01'];
    const plan = examplePlan();
    const options = {
      name: plan.name,
      plan,
      requestKey: 'another',
      request: exampleRequest(),
      randomHex: () => draws.shift() as string,
    };
    expect((await createRun(database.db, options)).runId).toBe(`r-${'pause-catalog'}-abcdef01`);
  });

  test('is the same one for the same request key, also for calls at once', async () => {
    const plan = examplePlan();
    const calls = [1, 2, 3, 4].map((number) =>
      createRun(database.db, {
        name: plan.name,
        plan,
        requestKey: 'one-call',
        request: exampleRequest(),
        randomHex: () => `1000000${number}`,
      }),
    );
    const ids = new Set((await Promise.all(calls)).map((call) => call.runId));
    expect(ids.size).toBe(1);
    expect((await findRunByRequestKey(database.db, 'one-call'))?.run_id).toBe([...ids][0]);
    expect(await findRunByRequestKey(database.db, 'no-call')).toBeNull();
  });

  test('keeps text that no database column could hold', async () => {
    const runId = await pendingRun(examplePlan({ hypothesis: 'nul \0, half \ud800, whole \u{1F600}' }));
    expect((await findRun(database.db, runId))?.plan.hypothesis).toBe('nul \uFFFD, half \uFFFD, whole \u{1F600}');
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });

  test('that does not exist is missing', async () => {
    expect(await findRun(database.db, 'r-none')).toBeNull();
    await expect(appendEvent(database.db, { runId: 'r-none', kind: 'run.problem', payload: {} })).rejects.toMatchObject(
      { code: 'run.missing' },
    );
    await expect(verifyRun(database.db, 'r-none')).rejects.toMatchObject({ code: 'run.missing' });
  });
});

describe('admission', () => {
  test('makes leases and takes their resources, and a second time does nothing', async () => {
    const { runId, binding } = await admittedRun();
    await admitRun(database.db, { runId, binding, decisions: [] });
    expect(await findRun(database.db, runId)).toMatchObject({
      status: 'running',
      binding,
      started_at: expect.any(String),
    });
    expect(await kinds(runId)).toEqual(['run.created', 'safety.decided', 'run.started', 'lease.state_changed']);
    expect(await leasesOfRun(database.db, runId)).toMatchObject([
      { state: 'pending', step_id: 'catalog-0001', target_name: 'shop-catalog-1' },
    ]);
    await expect(
      admitRun(database.db, { runId, binding: { ...binding, digest: 'x' }, decisions: [] }),
    ).rejects.toMatchObject({ code: 'lease.closed' });
  });

  test('is refused, all of it, when another run holds a resource, naming run, lease, fault and deadline', async () => {
    const holder = await admittedRun({ container: 'contended' });
    await recordArmed(database.db, { record: undoRecord(holder.lease) });
    await recordInjected(database.db, { runId: holder.runId, report: injectReport(holder.lease) });
    const plan = examplePlan();
    const runId = await pendingRun(plan);
    const binding = bindingOn({ runId, plan, container: 'contended' });
    const admission = admitRun(database.db, { runId, binding, decisions: [] });
    await expect(admission).rejects.toMatchObject({
      code: 'lease.conflict',
      exitCode: 5,
      message: `shop-catalog-1 is held by run ${holder.runId}: lease ${holder.lease.lease_id}, container.pause, active, until ${at(11_000)}`,
      details: { run_id: holder.runId, lease_id: holder.lease.lease_id },
    });
    expect(await leasesOfRun(database.db, runId)).toEqual([]);
    expect((await findRun(database.db, runId))?.status).toBe('pending');
    await recordUndone(database.db, { runId: holder.runId, report: undoReport(holder.lease) });
    await admitRun(database.db, { runId, binding, decisions: [] });
  });

  test('lets exactly one of many runs at once have a resource', async () => {
    const plan = examplePlan();
    const runs = await Promise.all(Array.from({ length: 6 }, () => pendingRun(plan)));
    const outcomes = await Promise.allSettled(
      runs.map((runId) =>
        admitRun(database.db, { runId, binding: bindingOn({ runId, plan, container: 'raced' }), decisions: [] }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as MayhemError).code] : [],
    );
    expect(new Set(refusals)).toEqual(new Set(['lease.conflict']));
  });

  test('of two runs that want the same two resources in opposite order waits in one order, so never in a circle', async () => {
    const plan = examplePlan({ steps: [faultStep('catalog', 1), faultStep('orders', 2)] });
    const [first, second] = [await pendingRun(plan), await pendingRun(plan)];
    const admitOn = (runId: string, names: readonly string[]): Promise<void> => {
      const binding = exampleBinding({ runId, plan });
      const leases = binding.leases.map((lease, index) => ({ ...lease, resources: [`e/${names[index]}/state`] }));
      return admitRun(database.db, { runId, binding: { ...binding, leases }, decisions: [] });
    };
    const holder = await database.db.startTransaction().execute();
    await holder
      .insertInto('resource_holds')
      .values({ resource: 'e/x/state', run_id: first, held_at: at(0) })
      .execute();
    const { rows: pids } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(holder);
    const admissions = Promise.allSettled([admitOn(first, ['x', 'y']), admitOn(second, ['y', 'x'])]);
    const waitingForHolder = async (): Promise<number | undefined> => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and ${pids[0]?.pid}::int = any (pg_blocking_pids(pid))`.execute(database.db);
      return rows[0]?.waiting;
    };
    try {
      // Neither holds y while it waits for x: else taking it here would close the circle.
      await vi.waitUntil(async () => (await waitingForHolder()) === 2, { timeout: 10_000, interval: 10 });
      const free = { resource: 'e/y/state', run_id: first, held_at: at(0) };
      await holder.insertInto('resource_holds').values(free).execute();
    } finally {
      await holder.rollback().execute();
    }
    const codes = (await admissions).map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as MayhemError).code : 'admitted',
    );
    expect(codes.sort()).toEqual(['admitted', 'lease.conflict']);
  });

  test('lets the faults of one chain share a container, which is free when the last of them is released', async () => {
    const plan = examplePlan({ steps: [faultStep('catalog', 1), faultStep('catalog', 2)] });
    const { runId, binding } = await admittedRun({ plan, container: 'chained' });
    const [first, second] = binding.leases as [LeaseSpec, LeaseSpec];
    const other = await pendingRun();
    const wanted = bindingOn({ runId: other, plan: examplePlan(), container: 'chained' });
    const admitOther = () => admitRun(database.db, { runId: other, binding: wanted, decisions: [] });
    await recordUndone(database.db, { runId, report: undoReport(first) });
    await expect(admitOther()).rejects.toMatchObject({ code: 'lease.conflict' });
    await recordUndone(database.db, { runId, report: undoReport(second) });
    await admitOther();
  });

  test('is refused while the stop switch is set, with who and why', async () => {
    await setStop(database.db, { actor: 'ann', reason: 'incident 7' });
    await setStop(database.db, { actor: 'bob', reason: 'another' });
    expect(await stopState(database.db)).toMatchObject({ actor: 'ann', reason: 'incident 7' });
    await expect(admittedRun()).rejects.toMatchObject({
      code: 'starts.stopped',
      exitCode: 5,
      message: expect.stringContaining('ann'),
    });
    expect(await liftStop(database.db, { actor: 'bob' })).toBe(true);
    expect(await liftStop(database.db, { actor: 'bob' })).toBe(false);
    expect(await stopState(database.db)).toBeNull();
    await admittedRun();
  });

  test('is refused for a run that has ended', async () => {
    const plan = examplePlan();
    const runId = await pendingRun(plan);
    const problem = { code: 'safety.refused', message: 'no' };
    await refuseRun(database.db, { runId, problem, decisions: [], at: at(0) });
    await refuseRun(database.db, { runId, problem, decisions: [], at: at(5) });
    expect(await kinds(runId)).toEqual(['run.created', 'safety.refused', 'criteria.evaluated', 'run.failed']);
    await expect(
      admitRun(database.db, { runId, binding: exampleBinding({ runId, plan }), decisions: [] }),
    ).rejects.toMatchObject({ code: 'lease.closed' });
  });
});

describe('a lease', () => {
  test('keeps its first undo record, whatever a retry brings', async () => {
    const { runId, lease } = await admittedRun();
    const record = undoRecord(lease);
    expect(await recordArmed(database.db, { record })).toEqual(record);
    const later = { ...record, prepared_at: at(5_000), fingerprint: { status: 'paused' } };
    expect(await recordArmed(database.db, { record: later })).toEqual(record);
    expect(await findUndoRecord(database.db, lease.lease_id)).toEqual(record);
    expect((await kinds(runId)).filter((kind) => kind === 'fault.armed')).toHaveLength(1);
  });

  test('goes from pending to active to released, each once, and its proofs are kept', async () => {
    const { runId, lease } = await admittedRun();
    await recordArmed(database.db, { record: undoRecord(lease) });
    for (const _ of [1, 2]) await recordInjected(database.db, { runId, report: injectReport(lease) });
    expect(await openLeases(database.db, { runId })).toMatchObject([
      {
        state: 'active',
        injection: 'confirmed',
        injected_at: at(1_000),
        deadline: at(11_000),
        inject_ms: 21.5,
        outcome: null,
      },
    ]);
    for (const _ of [1, 2]) await recordUndone(database.db, { runId, report: undoReport(lease) });
    expect(await findLease(database.db, lease.lease_id)).toMatchObject({
      state: 'released',
      outcome: 'restored',
      released_by: 'workflow',
      undone_at: at(11_040),
      undo_ms: 41,
    });
    expect(await openLeases(database.db, { runId })).toEqual([]);
    expect((await kinds(runId)).slice(4)).toEqual([
      'fault.armed',
      'fault.injected',
      'lease.state_changed',
      'fault.recovered',
      'lease.state_changed',
    ]);
    expect((await verifyRun(database.db, runId)).checked).toMatchObject({ proofs: 3 });
  });

  test('is dirty while its undo is not proven, says so once, and is released by a later clean undo', async () => {
    const { runId, lease } = await admittedRun();
    await recordArmed(database.db, { record: undoRecord(lease) });
    await recordInjected(database.db, { runId, report: injectReport(lease) });
    const failed = undoReport(lease, { outcome: 'unproven', problem: 'the engine does not answer' });
    for (const _ of [1, 2, 3]) await recordUndone(database.db, { runId, report: failed });
    expect(await openLeases(database.db, { runId })).toMatchObject([
      { state: 'dirty', outcome: 'unproven', problem: 'the engine does not answer' },
    ]);
    expect((await kinds(runId)).filter((kind) => kind === 'fault.failed')).toHaveLength(1);
    await recordUndone(database.db, {
      runId,
      report: undoReport(lease, { released_by: 'agent', undone_at: at(20_000) }),
    });
    expect(await findLease(database.db, lease.lease_id)).toMatchObject({
      state: 'released',
      outcome: 'restored',
      released_by: 'agent',
      problem: null,
    });
    expect((await kinds(runId)).slice(-3)).toEqual(['agent.undone', 'fault.recovered', 'lease.state_changed']);
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });

  test('whose injection is recorded only after its undo stays released, and knows both', async () => {
    const { runId, lease } = await admittedRun();
    await recordArmed(database.db, { record: undoRecord(lease) });
    await recordUndone(database.db, {
      runId,
      report: undoReport(lease, { injection: 'ended_early', released_by: 'agent' }),
    });
    await recordInjected(database.db, { runId, report: injectReport(lease) });
    expect(await findLease(database.db, lease.lease_id)).toMatchObject({
      state: 'released',
      injection: 'ended_early',
      injected_at: at(1_000),
      deadline: at(11_000),
    });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });

  test('that is kept on purpose stays open and holds what it owns until it is undone', async () => {
    const { runId, lease } = await admittedRun({ container: 'kept' });
    await recordArmed(database.db, { record: undoRecord(lease) });
    await recordInjected(database.db, { runId, report: injectReport(lease) });
    for (const _ of [1, 2]) await recordKept(database.db, { runId, leaseId: lease.lease_id, at: at(11_000) });
    expect(await openLeases(database.db, { runId })).toMatchObject([
      { state: 'kept_faulted', outcome: 'kept_faulted' },
    ]);
    await expect(admittedRun({ container: 'kept' })).rejects.toMatchObject({
      code: 'lease.conflict',
      hint: expect.stringContaining('recover'),
    });
    await recordUndone(database.db, { runId, report: undoReport(lease, { released_by: 'operator' }) });
    expect(await findLease(database.db, lease.lease_id)).toMatchObject({ state: 'released', outcome: 'restored' });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });

  test('that was never armed is closed with its run and cannot be armed any more', async () => {
    const { runId, lease } = await admittedRun({ container: 'unstarted' });
    const result = await concludeRun(database.db, { runId, aborted: true, problem: null, at: at(2_000) });
    expect(result).toMatchObject({
      status: 'aborted',
      verdict: 'undecided',
      faults: [{ injection: 'not_started', undo: 'none' }],
    });
    expect(await findLease(database.db, lease.lease_id)).toMatchObject({
      state: 'released',
      injection: 'not_started',
      outcome: 'none',
    });
    await expect(recordArmed(database.db, { record: undoRecord(lease) })).rejects.toMatchObject({
      code: 'lease.closed',
    });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
    await admittedRun({ container: 'unstarted' });
  });

  test('that was armed and never heard of again is not proven undone', async () => {
    const { runId, lease } = await admittedRun();
    await recordArmed(database.db, { record: undoRecord(lease) });
    const result = await concludeRun(database.db, { runId, aborted: false, problem: null, at: at(20_000) });
    expect(result).toMatchObject({
      status: 'failed',
      verdict: 'fail',
      faults: [{ injection: 'inconclusive', undo: 'unproven' }],
    });
    expect(await openLeases(database.db, { runId })).toHaveLength(1);
  });

  test('of another run is unknown', async () => {
    const [mine, other] = [await admittedRun(), await admittedRun()];
    await expect(
      recordInjected(database.db, { runId: mine.runId, report: injectReport(other.lease) }),
    ).rejects.toMatchObject({ code: 'lease.unknown' });
  });
});

describe('the end of a run', () => {
  test('is recorded once, with the first result', async () => {
    const { runId, lease } = await admittedRun();
    await recordArmed(database.db, { record: undoRecord(lease) });
    await recordInjected(database.db, { runId, report: injectReport(lease) });
    await recordUndone(database.db, { runId, report: undoReport(lease) });
    const result = await concludeRun(database.db, { runId, aborted: false, problem: null, at: at(12_000) });
    await finishRun(database.db, { runId, result: { ...result, verdict: 'pass' }, at: at(13_000) });
    expect(await concludeRun(database.db, { runId, aborted: true, problem: null, at: at(14_000) })).toEqual(result);
    expect(await findRun(database.db, runId)).toMatchObject({ status: 'completed', result, ended_at: at(12_000) });
    expect((await kinds(runId)).filter((kind) => kind.startsWith('run.'))).toEqual([
      'run.created',
      'run.started',
      'run.completed',
    ]);
    expect(await activeRunIds(database.db)).not.toContain(runId);
  });
});

describe('events', () => {
  test('appended at once by many are one chain', async () => {
    const { runId } = await admittedRun();
    const appends = Array.from({ length: 20 }, (_, number) =>
      appendEvent(database.db, { runId, kind: 'run.problem', payload: { number } }),
    );
    const seqs = (await Promise.all(appends)).map((event) => event.seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 5));
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
    expect((await eventsAfter(database.db, { runId, seq: 22, limit: 1 })).map((event) => event.seq)).toEqual([23]);
  });

  test('keep any JSON, and their hashes with it', async () => {
    const { runId } = await admittedRun();
    const payload = {
      number: 0.1 + 0.2,
      big: 1e21,
      tiny: 5e-324,
      text: 'nul \0 \u2028 ä',
      list: [null, true, { b: 1, a: [] }],
      '': 'empty',
    };
    await appendEvent(database.db, { runId, kind: 'drift.reported', at: '2026-03-01T11:00:00.5+01:00', payload });
    const [event] = await eventsAfter(database.db, { runId, seq: 4 });
    expect(event).toMatchObject({ at: at(500), payload: { ...payload, text: 'nul \uFFFD \u2028 ä' } });
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });
});

describe('samples', () => {
  test('written twice are stored once, and every batch is in the history', async () => {
    const { runId } = await admittedRun();
    const samples = samplesBetween({
      fromMs: 0,
      toMs: 600_000,
      of: (slot) => ({ latency_ms: slot / 3, error: slot % 7 === 0 ? 'nul \0' : null }),
    });
    await writeSamples(database.db, { runId, samples: samples.slice(0, 700) });
    await writeSamples(database.db, { runId, samples });
    await writeSamples(database.db, { runId, samples: [...samples, ...samples] });
    expect(await samplesOf(database.db, runId)).toEqual(
      samples.map((s) => ({ ...s, error: s.error === null ? null : 'nul \uFFFD' })),
    );
    const batches = (await eventsAfter(database.db, { runId, seq: 4 })).map((event) => event.payload['samples']);
    expect(batches).toEqual([700, 300, 201]);
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });

  test('of several writers at once are all there, once', async () => {
    const { runId } = await admittedRun();
    const samples = samplesBetween({ fromMs: 0, toMs: 50_000 });
    await Promise.all([1, 2, 3].map(() => writeSamples(database.db, { runId, samples: [...samples].reverse() })));
    expect(await samplesOf(database.db, runId)).toEqual(samples);
    expect((await verifyRun(database.db, runId)).problems).toEqual([]);
  });
});

describe('an abort request', () => {
  test('for an abort keeps every lease that is not armed yet from being armed, and lets a retry have its record', async () => {
    const plan = examplePlan({ steps: [faultStep('one', 1), faultStep('two', 2)] });
    const { runId, binding } = await admittedRun({ plan });
    const [first, second] = binding.leases as [LeaseSpec, LeaseSpec];
    const record = await recordArmed(database.db, { record: undoRecord(first) });
    await requestAbort(database.db, { runId, actor: 'ann', reason: 'rescue' });
    await expect(recordArmed(database.db, { record: undoRecord(second) })).rejects.toMatchObject({
      code: 'starts.stopped',
    });
    expect(await findUndoRecord(database.db, second.lease_id)).toBeNull();
    expect(await recordArmed(database.db, { record: undoRecord(first) })).toEqual(record);
  });

  test('waits until it is handed on, and shows in the history', async () => {
    const { runId } = await admittedRun();
    const requestId = await requestAbort(database.db, { runId, actor: 'ann', reason: 'enough' });
    expect((await findRun(database.db, runId))?.status).toBe('aborting');
    const mine = async () => (await pendingAborts(database.db)).filter((request) => request.run_id === runId);
    expect(await mine()).toMatchObject([{ request_id: requestId, actor: 'ann', reason: 'enough' }]);
    await markForwarded(database.db, requestId);
    expect(await mine()).toEqual([]);
    expect((await kinds(runId)).at(-1)).toBe('run.abort_requested');
  });

  test('to a run that has ended changes nothing', async () => {
    const { runId } = await admittedRun();
    await concludeRun(database.db, { runId, aborted: false, problem: null, at: at(1_000) });
    const before = await kinds(runId);
    await requestAbort(database.db, { runId, actor: 'ann', reason: 'late' });
    expect(await kinds(runId)).toEqual(before);
    expect((await pendingAborts(database.db)).filter((request) => request.run_id === runId)).toEqual([]);
  });
});

describe('workers', () => {
  test('live while they beat, are dead when they stop, and are buried by one', async () => {
    const worker = { workerId: 'w-1', host: 'here', pid: 4711, version: '0.9.0', queues: ['mayhem'] };
    await beat(database.db, worker);
    await beat(database.db, { ...worker, queues: ['mayhem', 'mayhem-engine-1'] });
    expect(await liveWorkers(database.db)).toMatchObject([
      { worker_id: 'w-1', pid: 4711, queues: ['mayhem', 'mayhem-engine-1'] },
    ]);
    expect(await deadWorkers(database.db)).toEqual([]);
    expect(await deadWorkers(database.db, { staleMs: -1 })).toMatchObject([{ worker_id: 'w-1' }]);
    const burials = await Promise.all([forgetWorker(database.db, 'w-1'), forgetWorker(database.db, 'w-1')]);
    expect(burials.filter(Boolean)).toHaveLength(1);
  });
});

describe('the installation', () => {
  test('has one identity, from the first who brings or needs one', async () => {
    const ids = await Promise.all([null, null, null].map((id) => ensureInstallation(database.db, id)));
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^i-[0-9a-f]{16}$/);
    expect(await ensureInstallation(database.db, 'i-another')).toBe(ids[0]);
  });
});
