import { describe, expect, it } from 'vitest';
import { testDatabase } from '../../test/postgres.js';
import { at, exampleBinding, examplePlan, exampleRequest } from '../../test/run-fixture.js';
import { admitRun } from '../evidence/admit-run.js';
import { concludeRun } from '../evidence/end-run.js';
import { isAbortRequested } from '../evidence/request-store.js';
import { createRun, findRun } from '../evidence/run-store.js';
import { abortBeforeRescue } from './abort-before-rescue.js';

const database = testDatabase();
let made = 0;

async function runOn(engineId: string): Promise<string> {
  made += 1;
  const { runId } = await createRun(database.db, {
    name: 'rescued',
    plan: examplePlan(),
    requestKey: `key-${made}`,
    request: { ...exampleRequest(), engine_id: engineId },
    randomHex: () => made.toString(16).padStart(8, '0'),
  });
  return runId;
}

const rescue = (db: typeof database.db | null) =>
  abortBeforeRescue({
    db,
    temporal: { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'mayhem' },
    hands: [{ engineId: 'engine-1', openLeases: async () => [] }],
    env: {},
    actor: 'ann@desk',
  });

describe('before a rescue', () => {
  it('every run that goes on or waits on these engines is told to abort, and no other', async () => {
    const plan = examplePlan();
    const [running, waiting, ended, elsewhere] = [
      await runOn('engine-1'),
      await runOn('engine-1'),
      await runOn('engine-1'),
      await runOn('engine-2'),
    ];
    const binding = exampleBinding({ runId: running, plan });
    await admitRun(database.db, { runId: running, binding, decisions: [] });
    await concludeRun(database.db, { runId: ended, aborted: false, problem: null, at: at(0), status: 'completed' });
    expect(await rescue(database.db)).toEqual([running, waiting]);
    expect((await findRun(database.db, running))?.status).toBe('aborting');
    const asked = await Promise.all(
      [running, waiting, ended, elsewhere].map((runId) => isAbortRequested(database.db, runId)),
    );
    expect(asked).toEqual([true, true, false, false]);
  });

  it('nobody is told, and nothing fails, when neither Postgres nor Temporal answers', async () => {
    expect(await rescue(null)).toEqual([]);
  });
});
