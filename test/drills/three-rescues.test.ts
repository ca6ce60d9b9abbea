import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { docker, pauseEvents, until } from '../containers.js';
import { run, runJson, start } from './mayhem.js';
import {
  ALL,
  deleteDatabase,
  deleteJournal,
  deleteMarks,
  killAll,
  NONE,
  openThreeTargets,
  startThree,
  threeFaults,
  type ThreeTargets,
} from './three-targets.js';

let stage: ThreeTargets;
let sinceMs: number;

beforeEach(async () => {
  stage = await openThreeTargets();
  await stage.write('drill.yaml', threeFaults(stage, { holdS: 120 }));
  await stage.up();
  sinceMs = Date.now();
}, 90_000);
afterEach(() => stage?.close(), 60_000);

/** All three in force, and not one process of ours left. */
async function inForceAndAllDead(): Promise<string> {
  const { drill, runId } = await startThree(stage);
  await killAll(stage, { drill });
  expect(await stage.look()).toEqual(ALL);
  return runId;
}

/** Rescues; answers with the command's word on who ended what, once it is seen from outside that all is over. */
async function rescued(runId: string) {
  const begunMs = Date.now();
  const { code, envelope } = await runJson(['rescue'], stage);
  console.log(`rescue took ${Date.now() - begunMs} ms`);
  expect(await stage.look()).toEqual(NONE);
  expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
  expect(await stage.leftovers()).toEqual([]);
  const of = { run_id: runId, outcome: 'restored', problem: null };
  expect(envelope.data.leases).toMatchObject([of, of, of]);
  expect((await run(['rescue'], stage)).stdout).toContain('nothing of ours is in force');
  const leases = envelope.data.leases as readonly Readonly<Record<string, string>>[];
  const ended = leases.map((lease) => `${lease['fault']}: ${lease['injection']}, ended by ${lease['released_by']}`);
  return { code, ended: new Set(ended) };
}

/** All three, with the same word on the start and the end of each. */
function all(injection: string, releasedBy: string) {
  const faults = ['container.pause', 'cpu.saturate', 'net.connection_refuse'];
  return { code: 0, ended: new Set(faults.map((fault) => `${fault}: ${injection}, ended by ${releasedBy}`)) };
}

describe('three faults whose keepers are all dead', () => {
  it('are ended by rescue alone, from the journal, without Temporal and Postgres', async () => {
    const runId = await inForceAndAllDead();
    expect(await rescued(runId)).toEqual(all('confirmed', 'operator'));
  });

  it('are ended by rescue alone when the journal was deleted, from the marks', async () => {
    const runId = await inForceAndAllDead();
    await deleteJournal(stage);
    // Without the journal nobody knows that their start was proven.
    expect(await rescued(runId)).toEqual(all('inconclusive', 'operator'));
  });

  it('are ended by rescue alone when journal and database are both gone, from the marks', async () => {
    const runId = await inForceAndAllDead();
    await deleteJournal(stage);
    await deleteDatabase(stage);
    expect(await rescued(runId)).toEqual(all('inconclusive', 'operator'));
  });

  it('are ended by rescue from Postgres when journal and marks are gone, and their leases are closed there', async () => {
    const runId = await inForceAndAllDead();
    await deleteJournal(stage);
    await deleteMarks(stage);
    await stage.up();
    expect(await stage.look()).toEqual(ALL);
    expect(await rescued(runId)).toEqual(all('inconclusive', 'operator'));
    const { envelope } = await runJson(['inspect', 'leases', '--run', runId], stage);
    const closed = { state: 'released', outcome: 'restored' };
    expect(envelope.data.leases).toMatchObject([closed, closed, closed]);
  });

  it('are ended by the newest first where two of two runs are on one target, both clean afterwards', async () => {
    const drillOf = (fault: string) => `apiVersion: mayhem/v1
kind: drill
name: one of two
hypothesis: two runs may share a target
containers: {web: {faults: [{${fault}, duration: 120s}]}}
`;
    await stage.write('refuse.yaml', drillOf('fault: net.connection_refuse, params: {port: 8080}'));
    await stage.write('pause.yaml', drillOf('fault: container.pause'));
    const webIsPaused = async () => (await docker.getContainer(stage.webId).inspect()).State.Paused;
    const refuse = start(['run', 'refuse.yaml'], stage);
    await until('web refuses', async () => (await stage.knock()) === 'refused', 30_000);
    const pause = start(['run', 'pause.yaml'], stage);
    await until('web is paused', webIsPaused, 30_000);
    await killAll(stage, { drill: refuse });
    process.kill(pause.pid, 'SIGKILL');
    expect([await stage.knock(), await webIsPaused()]).toEqual(['refused', true]);

    const { code, envelope } = await runJson(['rescue'], stage);
    expect([await stage.knock(), await webIsPaused()]).toEqual(['connected', false]);
    expect(envelope.data.leases).toMatchObject([
      { fault: 'container.pause', outcome: 'restored', released_by: 'operator' },
      { fault: 'net.connection_refuse', outcome: 'restored', released_by: 'operator' },
    ]);
    const undoneAt = (envelope.data.leases as { readonly undone_at: string }[]).map((lease) => lease.undone_at);
    expect(undoneAt).toEqual(undoneAt.toSorted());
    expect(code).toBe(0);
    expect(await stage.leftovers()).toEqual([]);
  });
});
