import { afterAll, beforeAll, expect, it } from 'vitest';
import { pauseEvents } from '../containers.js';
import { run, runJson, start } from './mayhem.js';
import { openStage, pauseDrill, type Stage } from './stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await stage.write('drill.yaml', pauseDrill(stage, { holdS: 30, windowS: 2 }));
  await stage.up();
}, 90_000);
afterAll(() => stage?.close(), 60_000);

// Whoever takes the stack down in the first moments of a run must not find its fault in force after the next `up`.
it.each([100, 250, 400, 600, 1_000, 1_500])(
  'a run that is %i ms old at `down` injects nothing after the next `up`',
  async (ageMs) => {
    const drill = start(['run', 'drill.yaml', '--json'], stage);
    await new Promise((resolve) => setTimeout(resolve, ageMs));
    expect((await run(['down'], stage)).code).toBe(0);
    expect(await stage.api.isPaused()).toBe(false);
    // Ends by itself once the database is gone; what it says depends on how far it came.
    drill.child.kill('SIGINT');
    const sinceMs = Date.now();
    await stage.up();
    const { envelope } = await runJson(['inspect', 'runs'], stage);
    const active = envelope.data.runs.filter((row: { ended_at: string | null }) => row.ended_at === null);
    // One that goes on only to its end: long enough for a baseline and more.
    for (let i = 0; i < 40 && active.length > 0; i += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await stage.api.isPaused()).toBe(false);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual([]);
    drill.child.kill('SIGKILL');
    await drill.finished;
  },
  120_000,
);
