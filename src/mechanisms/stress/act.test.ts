import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeEngine } from '../../../test/agent/fakes.js';
import { findMarked, killMarked } from '../../engines/host/marked-processes.js';
import type { LeaseSpec, UndoRecord } from '../../model/lease.js';
import type { ActContext } from '../mechanism.js';
import { stress } from './act.js';
import { markOf, stressRecipe } from './recipe.js';

let pins: string;
let fake: ReturnType<typeof fakeEngine>;

beforeEach(async () => {
  pins = await mkdtemp(join(tmpdir(), 'mayhem-pins-'));
  fake = fakeEngine();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await killMarked({ mark: markOf(lease()), withinMs: 2_000 });
  await rm(pins, { recursive: true });
});

function lease(): LeaseSpec {
  return {
    lease_id: `l-act-${process.pid}`,
    run_id: 'r-1',
    step_id: 's-0001',
    fault: 'cpu.saturate',
    mechanism: 'stress',
    params: { percent: 50 },
    target: {
      kind: 'container',
      engine_id: 'e',
      container_id: 'c1',
      started_at: '2026-01-01T00:00:00.000000001Z',
      name: 'target',
      netns: null,
      service: null,
      project: null,
    },
    duration_ms: 10_000,
    resources: ['e/c1/cpu'],
    recovery: true,
    grace_ms: 2_000,
  };
}

/** As on the engine's own host, with a container whose main process is `pid`. */
function context(options: { readonly local?: boolean; readonly pid?: number } = {}): ActContext {
  const { containers } = fake.engine;
  const engine = {
    ...fake.engine,
    local: options.local ?? true,
    containers: {
      ...containers,
      inspect: async (id: string) => {
        const state = await containers.inspect(id);
        return state && { ...state, pid: options.pid ?? 0 };
      },
    },
  };
  return { engine, pins, signal: AbortSignal.timeout(10_000) };
}

function record(): UndoRecord {
  const fingerprint = {
    pid: 1,
    started_at: lease().target.started_at,
    groups: [],
    allowance: { cpus: 2, quota_cpus: null, cpuset_cpus: 2 },
    stress_ng: '/usr/bin/stress-ng',
  };
  return {
    schema: 'mayhem/undo/v1',
    lease: lease(),
    installation_id: 'i',
    prepared_at: '2026-01-01T00:00:00.000Z',
    fingerprint,
    recipe: stressRecipe({ lease: lease(), fingerprint }),
  };
}

describe('a stressor', () => {
  it('is unsupported where the engine is elsewhere, the agent is not root or the tool is missing, with a remedy', async () => {
    const refusal = { code: 'capability.unsupported', hint: expect.any(String) as string };
    await expect(stress.snapshot(context({ local: false }), lease())).rejects.toMatchObject(refusal);
    vi.spyOn(process, 'geteuid').mockReturnValue(1000);
    await expect(stress.snapshot(context(), lease())).rejects.toMatchObject(refusal);
    await expect(stress.undo(context(), record())).rejects.toMatchObject(refusal);
    await expect(stress.verifyUndone(context(), record())).rejects.toMatchObject(refusal);
  });

  it("is unsupported where the control group is not the container's own", async () => {
    await expect(stress.snapshot(context({ pid: process.pid }), lease())).rejects.toMatchObject({
      code: 'capability.unsupported',
      message: expect.stringContaining('no control group of its own') as string,
    });
  });

  it('is refused on a container that is another incarnation, or is not running', async () => {
    fake.state.startedAt = '2026-01-02T00:00:00Z';
    await expect(stress.snapshot(context({ pid: process.pid }), lease())).rejects.toMatchObject({
      code: 'target.drift',
    });
    await expect(stress.inject(context(), record(), { repeated: false })).rejects.toMatchObject({
      code: 'target.drift',
    });
    fake.state.startedAt = lease().target.started_at;
    fake.state.running = false;
    await expect(stress.snapshot(context({ pid: process.pid }), lease())).rejects.toMatchObject({
      code: 'target.drift',
    });
  });

  it('ends by itself when deadline and grace are over, and not before', () => {
    const timeoutS = (duration_ms: number, grace_ms: number) =>
      stressRecipe({ lease: { ...lease(), duration_ms, grace_ms }, fingerprint: record().fingerprint })['timeout_s'];
    expect(timeoutS(20_000, 2_000)).toBe(23);
    expect(timeoutS(1_500, 2_000)).toBe(4);
    expect(timeoutS(1_501, 2_000)).toBe(5);
  });

  it('is killed even while the engine does not answer, and the undo is tried again', async () => {
    const { name, value } = markOf(lease());
    const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore', env: { [name]: value } });
    await new Promise((resolve) => child.once('spawn', resolve));
    fake.state.down = true;
    expect(await stress.verifyInjected(context(), record())).toMatchObject({ outcome: 'not_observed' });
    await expect(stress.undo(context(), record())).rejects.toMatchObject({ code: 'engine.unreachable' });
    expect(await findMarked({ mark: markOf(lease()) })).toEqual([]);
  });

  it('leaves a residue as long as one process with its mark lives', async () => {
    const { name, value } = markOf(lease());
    const child = spawn('/bin/sleep', ['60'], { stdio: 'ignore', env: { [name]: value } });
    await new Promise((resolve) => child.once('spawn', resolve));
    expect(await stress.verifyUndone(context(), record())).toMatchObject({
      outcome: 'residue',
      read: { processes: [child.pid] },
    });
    await stress.undo(context(), record());
    expect(await stress.verifyUndone(context(), record())).toMatchObject({ outcome: 'restored' });
  });
});
