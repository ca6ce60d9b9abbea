import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAgents } from '../../src/agent/agent-client.js';
import { pauseEvents, until } from '../containers.js';
import { type Started, runJson, start, startScript } from './mayhem.js';
import { openStage, pauseDrill, type Stage } from './stage.js';

const WORKER = fileURLToPath(new URL('./freezing-worker.mjs', import.meta.url));

let stage: Stage;
let frozenFile: string;

beforeAll(async () => {
  stage = await openStage();
  await stage.write('drill.yaml', pauseDrill(stage, { holdS: 3 }));
  await stage.up();
  frozenFile = join(stage.cwd, 'frozen');
}, 90_000);
afterAll(() => stage?.close(), 60_000);

/** Starts runs until one of them is injected by the freezing worker, which then stands still; the two workers share the queue. */
async function frozenInInject(): Promise<{
  readonly worker: Started;
  readonly drill: Started;
  readonly runId: string;
  readonly sinceMs: number;
}> {
  const worker = startScript(WORKER, [], { ...stage, env: { ...stage.env, TEST_FROZEN_FILE: frozenFile } });
  await until('the worker is ready', () => worker.output().includes('worker.ready'), 20_000);
  for (;;) {
    const sinceMs = Date.now();
    const drill = start(['run', 'drill.yaml', '--json'], stage);
    let injected = false;
    await until(
      'somebody injects',
      async () => {
        injected = await stage.api.isPaused();
        return injected || existsSync(frozenFile);
      },
      30_000,
    );
    const { envelope } = await runJson(['inspect', 'runs'], stage);
    const runId = envelope.data.runs[0].run_id as string;
    if (!injected) return { worker, drill, runId, sinceMs };
    await drill.finished;
  }
}

/** Lets the worker go on, and end once it has finished what it was at; answers with what it printed. */
async function thaw(worker: Started): Promise<string> {
  process.kill(worker.pid, 'SIGCONT');
  await until('the worker goes on', () => worker.output().includes('thawed: asks for its inject'), 10_000);
  process.kill(worker.pid, 'SIGTERM');
  await worker.finished;
  await rm(frozenFile, { force: true });
  return worker.output();
}

describe('a worker that freezes just before it injects', () => {
  it('injects nothing when it goes on after another worker injected and undid; a second undo is a no-op', async () => {
    const { worker, drill, sinceMs } = await frozenInInject();
    const { stdout } = await drill.finished;
    const { data } = JSON.parse(stdout);
    expect(data.faults).toMatchObject([{ injection: 'confirmed', undo: 'restored' }]);
    expect(await thaw(worker)).not.toContain('late inject was done');
    expect(await stage.api.isPaused()).toBe(false);
    const [agent] = await connectAgents({ home: stage.env['MAYHEM_HOME'] as string });
    const again = await agent?.undo(data.faults[0].lease_id, { releasedBy: 'operator', record: null });
    agent?.close();
    // A tombstone, not a new undo: the frozen worker may have been handed the workflow's, and the agent did not wait for it.
    expect(again).toMatchObject({ outcome: 'restored', released_by: expect.stringMatching(/^(workflow|agent)$/) });
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
  });

  it('injects nothing at all when the run was aborted while it stood still', async () => {
    const { worker, drill, runId, sinceMs } = await frozenInInject();
    expect((await runJson(['stop', runId], stage)).code).toBe(0);
    const { stdout, code } = await drill.finished;
    expect(code).toBe(6);
    expect(JSON.parse(stdout).data).toMatchObject({
      status: 'aborted',
      faults: [{ injection: 'not_started', undo: 'none' }],
    });
    expect(await thaw(worker)).not.toContain('late inject was done');
    expect(await stage.api.isPaused()).toBe(false);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual([]);
  });
});
