import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseEvents, until } from '../containers.js';
import { lives, run, runJson, start } from './mayhem.js';
import { openStage, pauseDrill, type Stage } from './stage.js';

const HOLD_S = 8;
const HOLD_MS = HOLD_S * 1000;
const GRACE_MS = 2_000;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await stage.write('drill.yaml', pauseDrill(stage, { holdS: HOLD_S }));
  await stage.up();
}, 90_000);
afterAll(() => stage?.close(), 60_000);

/** Starts the drill and waits until its fault is in force, as the engine says; answers with the time it began. */
async function startedPause() {
  const sinceMs = Date.now();
  const drill = start(['run', 'drill.yaml', '--json'], stage);
  await until('the target is paused', () => stage.api.isPaused(), 20_000);
  return { drill, sinceMs, pausedMs: Date.now() };
}

/** How long after it began the pause ended, by looking at the engine. */
async function pauseLasted(pausedMs: number): Promise<number> {
  await until('the target is unpaused', async () => !(await stage.api.isPaused()), HOLD_MS + 10_000);
  return Date.now() - pausedMs;
}

async function resultOf(runId: string) {
  await until(
    `run ${runId} ends`,
    async () => {
      const { envelope } = await runJson(['inspect', 'run', runId], stage);
      return envelope.data.result !== null && envelope.data.result !== undefined;
    },
    40_000,
  );
  const { envelope } = await runJson(['inspect', 'run', runId], stage);
  return envelope.data.result;
}

async function newestRun(): Promise<string> {
  const { envelope } = await runJson(['inspect', 'runs'], stage);
  return envelope.data.runs[0].run_id as string;
}

describe('a drill whose processes are killed in mid-hold', () => {
  it('passes undisturbed, with one pause and one unpause', async () => {
    const { drill, sinceMs, pausedMs } = await startedPause();
    const lastedMs = await pauseLasted(pausedMs);
    const { code, stdout } = await drill.finished;
    const { data } = JSON.parse(stdout);
    expect(data).toMatchObject({
      status: 'completed',
      verdict: 'pass',
      faults: [{ injection: 'confirmed', undo: 'restored', released_by: 'workflow' }],
    });
    expect(code).toBe(0);
    expect(lastedMs).toBeGreaterThan(HOLD_MS - 500);
    expect(lastedMs).toBeLessThan(HOLD_MS + 500);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await run(['verify', data.run_id], stage)).toMatchObject({ code: 0 });
  });

  for (const victim of ['worker', 'temporal', 'postgres', 'agent'] as const) {
    it(`undoes on time, once, and passes when the ${victim} is killed and comes back`, async () => {
      const { drill, sinceMs, pausedMs } = await startedPause();
      const pid = (await stage.pids())[victim] as number;
      process.kill(pid, 'SIGKILL');
      const lastedMs = await pauseLasted(pausedMs);
      const { code, stdout, stderr } = await drill.finished;
      expect(stderr + stdout).not.toContain('internal.failed');
      expect(JSON.parse(stdout).data).toMatchObject({
        verdict: 'pass',
        faults: [{ injection: 'confirmed', undo: 'restored' }],
      });
      expect(code).toBe(0);
      expect(lastedMs).toBeLessThan(HOLD_MS + 1_000);
      expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
      expect((await stage.pids())[victim]).not.toBe(pid);
    });
  }

  it('goes on without its command line; attach follows it to the end', async () => {
    const { drill, sinceMs } = await startedPause();
    process.kill(drill.pid, 'SIGKILL');
    const attached = await runJson(['attach', await newestRun()], stage);
    expect(attached.envelope.data).toMatchObject({ verdict: 'pass' });
    expect(attached.code).toBe(0);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
  });

  it('is aborted by Ctrl-C: undone within a second, exit 6', async () => {
    const { drill } = await startedPause();
    const signalledMs = Date.now();
    process.kill(drill.pid, 'SIGINT');
    expect(await pauseLasted(signalledMs)).toBeLessThan(1_000);
    const { code, stdout } = await drill.finished;
    expect(JSON.parse(stdout).data).toMatchObject({
      status: 'aborted',
      verdict: 'undecided',
      faults: [{ undo: 'restored' }],
    });
    expect(code).toBe(6);
  });

  it('holds its target: a second run on it is refused with the first one named, exit 5', async () => {
    const { drill } = await startedPause();
    const first = await newestRun();
    const second = await runJson(['run', 'drill.yaml'], stage);
    expect(second.code).toBe(5);
    expect(second.envelope.errors[0]).toMatchObject({ code: 'lease.conflict', exit_code: 5 });
    expect(second.envelope.errors[0]?.message).toContain(first);
    expect(await stage.api.isPaused()).toBe(true);
    expect(await run(['stop', first], stage)).toMatchObject({ code: 0 });
    expect(await stage.api.isPaused()).toBe(false);
    expect((await drill.finished).code).toBe(6);
  });

  it('is undone by the agent when all else is killed and nothing restarts; up brings an honest end', async () => {
    const { drill, sinceMs, pausedMs } = await startedPause();
    const runId = await newestRun();
    const pids = await stage.pids();
    const victims = [pids['supervisor'], pids['worker'], pids['temporal'], pids['postgres'], drill.pid] as number[];
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    expect(await pauseLasted(pausedMs)).toBeLessThan(HOLD_MS + GRACE_MS + 1_000);
    expect(victims.filter(lives)).toEqual([]);
    expect(await run(['up'], stage)).toMatchObject({ code: 0 });
    const result = await resultOf(runId);
    expect(result).toMatchObject({
      status: 'completed',
      verdict: 'undecided',
      reasons: [{ code: 'observation_missing' }],
      faults: [{ injection: 'confirmed', undo: 'restored', released_by: 'agent' }],
    });
    const history = await run(['inspect', 'history', runId], stage);
    expect(history.stdout).toContain('agent.undone');
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await run(['verify', runId], stage)).toMatchObject({ code: 0 });
  });
});
