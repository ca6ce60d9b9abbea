import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../containers.js';
import { answered, runJson, type Started, startScript } from './mayhem.js';
import { openStage, pauseDrill, type Stage } from './stage.js';

const AGENT = fileURLToPath(new URL('./stubbed-agent.mjs', import.meta.url));

let stage: Stage;
let agent: Started | null = null;

beforeEach(async () => {
  stage = await openStage();
  await stage.write('drill.yaml', pauseDrill(stage, { holdS: 2 }));
  // A grace of a few seconds: an undo that never works is given up soon.
  await stage.write('mayhem.yaml', 'apiVersion: mayhem/v1\nrecovery_grace: 3s\n');
}, 90_000);
afterEach(async () => {
  if (agent) process.kill(agent.pid, 'SIGKILL');
  await agent?.finished;
  agent = null;
  await stage?.close();
}, 60_000);

/** The agent with a stub takes the engine's lock before the stack starts one of its own. */
async function stubbed(verb: 'inject' | 'undo'): Promise<void> {
  agent = startScript(AGENT, [], { ...stage, env: { ...stage.env, TEST_STUB: verb } });
  await until('the stubbed agent is ready', () => agent?.output().includes('agent.ready') ?? false, 20_000);
}

describe('a mechanism that does nothing', () => {
  it('is never confirmed and never passes when its inject is a stub', async () => {
    await stubbed('inject');
    const { code, envelope } = await runJson(['run', 'drill.yaml'], stage);
    expect(answered(envelope)).toMatchObject({
      verdict: 'undecided',
      status: 'failed',
      faults: [{ injection: 'not_observed', undo: 'restored' }],
    });
    expect(envelope.data.reasons.map((reason: { code: string }) => reason.code)).toContain('not_observed');
    expect(code).toBe(6);
    // The stack works with an agent that it did not start, and says so.
    await until('the status names that agent', async () => {
      const { envelope: status } = await runJson(['status'], stage);
      const shown = status.data.components.find((component: { name: string }) => component.name === 'agent');
      return shown.problem?.code === 'agent.locked' && shown.problem.message.includes(`pid ${agent?.pid}`);
    });
  });

  it('is residue, fails the run and exits 7 when its undo is a stub', async () => {
    await stubbed('undo');
    const { code, envelope } = await runJson(['run', 'drill.yaml'], stage);
    expect(answered(envelope)).toMatchObject({
      verdict: 'fail',
      status: 'failed',
      faults: [{ injection: 'confirmed', undo: 'residue' }],
    });
    expect(envelope.data.reasons[0]).toMatchObject({ code: 'residue' });
    expect(code).toBe(7);
    expect(await stage.api.isPaused()).toBe(true);
    const { envelope: leases } = await runJson(['inspect', 'leases'], stage);
    expect(leases.data.leases).toMatchObject([{ state: 'dirty', outcome: 'residue' }]);
  }, 120_000);
});
