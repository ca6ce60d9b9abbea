import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { docker, pauseEvents, until } from '../containers.js';
import { lives, run, runJson, start } from './mayhem.js';
import { openStage, pauseDrill, type Stage } from './stage.js';

let stage: Stage;
let home: string;

beforeEach(async () => {
  stage = await openStage();
  home = stage.env['MAYHEM_HOME'] as string;
  await stage.write('drill.yaml', pauseDrill(stage, { holdS: 60 }));
  await stage.up();
}, 90_000);
afterEach(() => stage?.close(), 60_000);

/** A pause in force, and then not one process of ours left. */
async function pausedAndAllDead(): Promise<{ readonly runId: string; readonly sinceMs: number }> {
  const sinceMs = Date.now();
  const drill = start(['run', 'drill.yaml'], stage);
  await until('the target is paused', () => stage.api.isPaused(), 30_000);
  // What was done is in Postgres, too, once the run's history says so.
  const { envelope } = await runJson(['inspect', 'runs'], stage);
  const runId = envelope.data.runs[0].run_id as string;
  await until('the injection is recorded', async () =>
    (await run(['inspect', 'history', runId], stage)).stdout.includes('fault.injected'),
  );
  const pids = Object.values(await stage.pids());
  for (const pid of [pids[0] as number, ...pids.slice(1), drill.pid]) process.kill(pid, 'SIGKILL');
  await until('all are dead', () => pids.every((pid) => !lives(pid)));
  expect(await stage.api.isPaused()).toBe(true);
  return { runId, sinceMs };
}

async function deleteJournal(): Promise<void> {
  for (const name of await readdir(home)) if (name.startsWith('journal-')) await rm(join(home, name));
}

async function removeMarks(): Promise<void> {
  const { Volumes } = await docker.listVolumes({ filters: JSON.stringify({ label: ['mayhem.lease'] }) });
  for (const { Name, Labels } of Volumes) {
    if ((Labels['mayhem.record'] ?? '').includes(stage.api.id)) await docker.getVolume(Name).remove();
  }
}

describe('a fault whose keepers are all dead', () => {
  it('is ended within five seconds of mayhem up, once its deadline is over', async () => {
    const holdS = 8;
    await stage.write('drill.yaml', pauseDrill(stage, { holdS }));
    const { sinceMs, runId } = await pausedAndAllDead();
    await until('the deadline is over', () => Date.now() > sinceMs + (holdS + 8) * 1000, 30_000);
    expect(await stage.api.isPaused()).toBe(true);
    const up = start(['up'], stage);
    await until('the target is unpaused', async () => !(await stage.api.isPaused()), 5_000);
    expect((await up.finished).code).toBe(0);
    await until(
      'the lease is closed',
      async () =>
        (await runJson(['inspect', 'leases', '--run', runId], stage)).envelope.data.leases[0].state === 'released',
      20_000,
    );
    const { envelope } = await runJson(['inspect', 'leases', '--run', runId], stage);
    expect(envelope.data.leases).toMatchObject([{ state: 'released', outcome: 'restored', released_by: 'agent' }]);
  });

  it('is ended by rescue alone, from the journal', async () => {
    const { sinceMs } = await pausedAndAllDead();
    const { code, envelope } = await runJson(['rescue'], stage);
    expect(envelope.data.leases).toMatchObject([
      { fault: 'container.pause', outcome: 'restored', injection: 'confirmed', released_by: 'operator' },
    ]);
    expect(code).toBe(0);
    expect(await stage.api.isPaused()).toBe(false);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect((await run(['rescue'], stage)).stdout).toContain('nothing of ours is in force');
  });

  it('is ended by down, which starts no agent for good', async () => {
    const { sinceMs } = await pausedAndAllDead();
    expect((await run(['down'], stage)).code).toBe(0);
    expect(await stage.api.isPaused()).toBe(false);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await stage.pids()).toEqual({});
  });

  it('is ended by rescue from the marks on the engine when journal and Postgres are gone', async () => {
    await pausedAndAllDead();
    await deleteJournal();
    await rm(join(home, 'postgres'), { recursive: true });
    const { code, envelope } = await runJson(['rescue'], stage);
    expect(code).toBe(0);
    expect(envelope.data.leases).toMatchObject([{ outcome: 'restored' }]);
    expect(await stage.api.isPaused()).toBe(false);
  });

  it('is ended from Postgres when journal and marks are gone', async () => {
    const { runId } = await pausedAndAllDead();
    await deleteJournal();
    await removeMarks();
    await stage.up();
    expect(await stage.api.isPaused()).toBe(true);
    const { code, envelope } = await runJson(['rescue'], stage);
    expect(envelope.data.leases).toMatchObject([{ run_id: runId, fault: 'container.pause', outcome: 'restored' }]);
    expect(code).toBe(0);
    expect(await stage.api.isPaused()).toBe(false);
  });
});
