import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docker, pauseEvents, until } from '../containers.js';
import { run, runJson } from './mayhem.js';
import {
  type Effect,
  killAll,
  NONE,
  openThreeTargets,
  startThree,
  threeFaults,
  type ThreeTargets,
  untilClean,
  untilSeen,
  watch,
} from './three-targets.js';

const GRACE_MS = 2_000;
const EFFECTS: readonly Effect[] = ['paused', 'refused', 'burning'];

let stage: ThreeTargets;

beforeAll(async () => {
  stage = await openThreeTargets();
  await stage.up();
}, 90_000);
afterAll(() => stage?.close(), 60_000);

/** The run's result, once it has ended. */
async function resultOf(runId: string) {
  const inspect = async () => (await runJson(['inspect', 'run', runId], stage)).envelope.data.result ?? null;
  await until(`run ${runId} ends`, async () => (await inspect()) !== null, 40_000);
  return inspect();
}

/** Who ended each fault, by fault. */
function releasedBy(result: { readonly faults: readonly Record<string, unknown>[] }) {
  return Object.fromEntries(result.faults.map((fault) => [fault['fault'], fault['released_by']]));
}

describe('three faults of three kinds in force at once', () => {
  it('come and go once each, with their effect seen from outside, and are proven: 3 of 3 confirmed, 3 of 3 restored', async () => {
    await stage.write('drill.yaml', threeFaults(stage, { holdS: 5 }));
    const sinceMs = Date.now();
    const watched = watch(stage);
    const { drill } = await startThree(stage);
    expect(await stage.knock()).toBe('refused');
    const [usedNs, fromNs] = [stage.millUsedNs(), process.hrtime.bigint()];
    await untilSeen(stage, NONE, 20_000);
    const cpus = (stage.millUsedNs() - usedNs) / Number(process.hrtime.bigint() - fromNs);
    const { code, stdout } = await drill.finished;
    await watched.stop();

    const { data } = JSON.parse(stdout);
    const ended = { injection: 'confirmed', undo: 'restored', released_by: 'workflow' };
    expect(data).toMatchObject({ status: 'completed', verdict: 'pass', faults: [ended, ended, ended] });
    expect(code).toBe(0);
    for (const effect of EFFECTS) {
      expect(watched.lastedMs(effect)).toBeGreaterThan(4_800);
      expect(watched.lastedMs(effect)).toBeLessThan(6_000);
    }
    // Sixty percent of half a CPU, unless the host had less to give.
    expect(cpus).toBeGreaterThan(0.15);
    expect(cpus).toBeLessThan(0.35);
    const idleNs = stage.millUsedNs();
    expect(await stage.knock()).toBe('connected');
    expect(stage.millUsedNs() - idleNs).toBeLessThan(5_000_000);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await stage.leftovers()).toEqual([]);
    expect(await run(['verify', data.run_id], stage)).toMatchObject({ code: 0 });
  });

  it('go one after the other in a chain on one target, the second only once the first is undone', async () => {
    await stage.write(
      'chain.yaml',
      `apiVersion: mayhem/v1
kind: drill
name: chain
hypothesis: web survives one after the other
config: {max_faults: 3}
containers:
  web:
    faults:
      - {fault: net.connection_refuse, duration: 2s, params: {port: 8080}}
      - {fault: container.pause, duration: 2s}
      - {fault: cpu.saturate, duration: 2s, params: {percent: 20}}
`,
    );
    const sinceMs = Date.now();
    const { code, envelope } = await runJson(['run', 'chain.yaml'], stage);
    const faults = envelope.data.faults as { readonly injected_at: string; readonly undone_at: string }[];
    const ended = { injection: 'confirmed', undo: 'restored', released_by: 'workflow' };
    expect(faults).toMatchObject([ended, ended, ended]);
    expect(code).toBe(0);
    for (const [index, next] of faults.slice(1).entries()) {
      expect(Date.parse(next.injected_at)).toBeGreaterThanOrEqual(Date.parse(faults[index]?.undone_at ?? ''));
    }
    expect(await pauseEvents({ id: stage.webId, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await stage.knock()).toBe('connected');
    expect(await stage.leftovers()).toEqual([]);
  });

  it('are in force at once on one target where recovery is declined, and are undone by recover, the last one first', async () => {
    await stage.write(
      'kept.yaml',
      `apiVersion: mayhem/v1
kind: drill
name: kept
hypothesis: what is kept is undone in turn
config: {recovery: false}
containers:
  web:
    faults:
      - {fault: net.connection_refuse, duration: 1s, params: {port: 8080}}
      - {fault: container.pause, duration: 1s}
`,
    );
    const { code, envelope } = await runJson(['run', 'kept.yaml'], stage);
    const kept = { injection: 'confirmed', undo: 'kept_faulted' };
    expect(envelope.data).toMatchObject({ status: 'completed', faults: [kept, kept] });
    expect(code).toBe(0);
    const state = async () => [await stage.knock(), (await docker.getContainer(stage.webId).inspect()).State.Paused];
    expect(await state()).toEqual(['refused', true]);

    const recovered = await runJson(['recover', envelope.data.run_id], stage);
    expect(await state()).toEqual(['connected', false]);
    expect(recovered.envelope.data.leases).toMatchObject([
      { fault: 'container.pause', outcome: 'restored', injection: 'confirmed', released_by: 'operator' },
      { fault: 'net.connection_refuse', outcome: 'restored', injection: 'confirmed', released_by: 'operator' },
    ]);
    expect(recovered.code).toBe(0);
    expect(await stage.leftovers()).toEqual([]);
    expect(await run(['verify', envelope.data.run_id], stage)).toMatchObject({ code: 0 });
  });

  it('are all gone within two seconds of Ctrl-C', async () => {
    await stage.write('drill.yaml', threeFaults(stage, { holdS: 60 }));
    const { drill } = await startThree(stage);
    const signalledMs = Date.now();
    process.kill(drill.pid, 'SIGINT');
    await untilSeen(stage, NONE, 2_000);
    console.log(`abort to all three gone: ${Date.now() - signalledMs} ms`);
    const { code, stdout } = await drill.finished;
    const undone = { injection: 'confirmed', undo: 'restored' };
    expect(JSON.parse(stdout).data).toMatchObject({
      status: 'aborted',
      verdict: 'undecided',
      faults: [undone, undone, undone],
    });
    expect(code).toBe(6);
    expect(await stage.leftovers()).toEqual([]);
  });

  it('are ended by the agent when all else is killed and nothing restarts; up brings an honest end', async () => {
    const holdMs = 12_000;
    await stage.write('drill.yaml', threeFaults(stage, { holdS: holdMs / 1000 }));
    const sinceMs = Date.now();
    const watched = watch(stage);
    const { drill, runId } = await startThree(stage);
    await killAll(stage, { drill, but: ['agent'] });
    await untilSeen(stage, NONE, holdMs + GRACE_MS + 5_000);
    await watched.stop();
    for (const effect of EFFECTS) {
      console.log(`${effect} lasted ${watched.lastedMs(effect)} ms of ${holdMs}, ended by the agent`);
      expect(watched.lastedMs(effect)).toBeGreaterThan(holdMs);
      expect(watched.lastedMs(effect)).toBeLessThan(holdMs + GRACE_MS + 1_000);
    }
    await untilClean(stage);

    expect(await run(['up'], stage)).toMatchObject({ code: 0 });
    const result = await resultOf(runId);
    const ended = { injection: 'confirmed', undo: 'restored', released_by: 'agent' };
    expect(result).toMatchObject({ status: 'completed', verdict: 'pass', faults: [ended, ended, ended] });
    const { stdout } = await run(['inspect', 'history', runId], stage);
    expect(stdout.split('agent.undone')).toHaveLength(4);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await run(['verify', runId], stage)).toMatchObject({ code: 0 });
  }, 90_000);

  it('end by themselves where they can when the agent is killed too, and up ends the pause: each as it was', async () => {
    const holdMs = 8_000;
    await stage.write('drill.yaml', threeFaults(stage, { holdS: holdMs / 1000 }));
    const sinceMs = Date.now();
    const watched = watch(stage);
    const { drill, runId } = await startThree(stage);
    await killAll(stage, { drill });
    await untilSeen(stage, { ...NONE, paused: true }, holdMs + GRACE_MS + 5_000);
    await watched.stop();
    for (const effect of ['refused', 'burning'] as const) {
      const lastedMs = (watched.ended(effect) ?? Infinity) - (watched.began(effect) ?? 0);
      console.log(`${effect} lasted ${lastedMs} ms of ${holdMs}, ended by itself`);
      expect(watched.changes(effect)).toEqual([true, false]);
      // The target's own expiry comes after the agent would have ended it: deadline, grace and a second.
      expect(lastedMs).toBeGreaterThan(holdMs + GRACE_MS);
      expect(lastedMs).toBeLessThan(holdMs + GRACE_MS + 2_000);
    }
    expect(await stage.api.isPaused()).toBe(true);

    const upMs = Date.now();
    const up = run(['up'], stage);
    await untilSeen(stage, NONE, 5_000);
    console.log(`the pause ended ${Date.now() - upMs} ms after up`);
    expect(await up).toMatchObject({ code: 0 });
    const result = await resultOf(runId);
    const ended = { injection: 'confirmed', undo: 'restored' };
    expect(result).toMatchObject({ status: 'completed', verdict: 'pass', faults: [ended, ended, ended] });
    const who = { 'container.pause': 'agent', 'net.connection_refuse': 'expiry', 'cpu.saturate': 'expiry' };
    expect(releasedBy(result)).toEqual(who);
    const { envelope } = await runJson(['inspect', 'leases', '--run', runId], stage);
    const closed = { state: 'released', outcome: 'restored' };
    expect(envelope.data.leases).toMatchObject([closed, closed, closed]);
    expect(releasedBy({ faults: envelope.data.leases })).toEqual(who);
    expect(await pauseEvents({ id: stage.api.id, sinceMs })).toEqual(['pause', 'unpause']);
    expect(await stage.leftovers()).toEqual([]);
    expect(await run(['verify', runId], stage)).toMatchObject({ code: 0 });
  }, 90_000);
});
