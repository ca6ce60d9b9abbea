import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.js';
import { allClaims } from '../../src/agent/claims.js';
import { Journal } from '../../src/agent/journal.js';
import { connectDocker } from '../../src/engines/docker/docker-engine.js';
import type { Engine } from '../../src/engines/engine.js';
import { ensureEngineId } from '../../src/engines/engine-identity.js';
import { systemClock } from '../../src/host/system-clock.js';
import { mechanisms } from '../../src/mechanisms/mechanisms.js';
import type { LeaseSpec, ReleasedBy } from '../../src/model/lease.js';
import { docker, type Sleeper, until } from '../containers.js';
import { startScript } from '../drills/mayhem.js';
import {
  cpuUsedNs,
  groupFolders,
  groupsOf,
  importSleepImage,
  measureCpu,
  processesWith,
  startLimited,
} from './cpu-observer.js';
import { leaseOn } from './leases.js';

const ALLOWANCE = 0.5;
const INSTALLATION = `test-${process.pid}`;
const DYING_AGENT = fileURLToPath(new URL('./dying-agent.mjs', import.meta.url));

let engine: Engine;
let engineId: string;
let home: string;
let targets: Sleeper[] = [];
let agents: Agent[] = [];
const journals: Journal[] = [];

beforeAll(async () => {
  engine = await connectDocker({ host: null });
  engineId = await ensureEngineId(engine);
  home = await mkdtemp(join(tmpdir(), 'mayhem-stress-'));
});
afterEach(async () => {
  // A test that failed leaves nothing to the next.
  for (const agent of agents) await agent.undoAll({ releasedBy: 'operator' });
  agents = [];
  for (const target of targets) await target.remove();
  targets = [];
});
afterAll(async () => {
  for (const journal of journals) await journal.close();
  await rm(home, { recursive: true });
});

async function target(options: Parameters<typeof startLimited>[0] = {}): Promise<Sleeper> {
  const limited = await startLimited(options);
  targets.push(limited);
  return limited;
}

async function agentOn(name: string): Promise<Agent> {
  const journal = await Journal.open({ file: join(home, name), nowMs: Date.now() });
  journals.push(journal);
  const agent = new Agent({
    engine,
    engineId,
    installationId: INSTALLATION,
    mechanisms,
    journal,
    clock: systemClock,
    pins: join(home, 'pins'),
    log: () => undefined,
  });
  agents.push(agent);
  return agent;
}

function saturate(
  on: Sleeper,
  options: { readonly percent?: number; readonly durationMs?: number; readonly graceMs?: number } = {},
): LeaseSpec {
  return {
    ...leaseOn(on, { engineId, ...options }),
    fault: 'cpu.saturate',
    mechanism: 'stress',
    params: { percent: options.percent ?? 50 },
    resources: [`${engineId}/${on.id}/cpu`],
  };
}

async function inForce(agent: Agent, lease: LeaseSpec) {
  await agent.arm(await agent.prepare(lease));
  return agent.inject(lease.lease_id);
}

function undo(agent: Agent, lease: LeaseSpec, releasedBy: ReleasedBy = 'workflow') {
  return agent.undo(lease.lease_id, { releasedBy, record: null });
}

function stressors(lease: LeaseSpec) {
  return processesWith(`MAYHEM_LEASE=${lease.lease_id}`);
}

/** A process may have died of the one before it. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isPinned(lease: LeaseSpec): boolean {
  return existsSync(join(home, 'pins', lease.lease_id));
}

async function claimsOf(lease: LeaseSpec) {
  return (await allClaims({ engine })).filter((claim) => claim.lease_id === lease.lease_id);
}

/** Runs an agent in a process of its own that dies at the boundary, and waits for its death. */
async function injectAndDie(options: { readonly journal: string; readonly lease: LeaseSpec; readonly dieAt: string }) {
  const { lease, dieAt } = options;
  const journalFile = join(home, options.journal);
  const given = JSON.stringify({ home, journalFile, installationId: INSTALLATION, lease, dieAt });
  const { code, stderr } = await startScript(DYING_AGENT, [given], { cwd: home, env: process.env }).finished;
  expect({ code, stderr }).toEqual({ code: null, stderr: '' });
}

/**
 * Measures until the container uses `percent` of its allowance, give or take five points. A window in which the host's CPUs were all taken
 * says what the host had left, not what the stressor wanted: so it is measured until one says it.
 */
async function expectLoad(options: { readonly on: Sleeper; readonly percent: number; readonly sibling: Sleeper }) {
  const windows: { readonly percent: number; readonly sibling: number; readonly idle: number }[] = [];
  for (let i = 0; i < 16; i += 1) {
    const { cpus, idle } = await measureCpu([options.on.id, options.sibling.id], 2_500);
    const [percent, sibling] = cpus.map((used) => (used / ALLOWANCE) * 100) as [number, number];
    windows.push({ percent, sibling, idle });
    expect(sibling).toBeLessThan(1);
    if (Math.abs(percent - options.percent) <= 5) return;
  }
  expect.fail(`not ${options.percent} ± 5 % in any window: ${JSON.stringify(windows)}`);
}

describe('a saturated CPU through the agent, on a real engine', () => {
  it.each([10, 50, 90])(
    'burns %i percent of the allowance, five points more or less, and no sibling sees it',
    async (percent) => {
      const [on, sibling] = [await target(), await target()];
      const agent = await agentOn(`load-${percent}.jsonl`);
      const lease = saturate(on, { percent });
      expect(await inForce(agent, lease)).toMatchObject({ outcome: 'confirmed' });
      await expectLoad({ on, percent, sibling });
      const undone = await undo(agent, lease);
      expect(undone).toMatchObject({ outcome: 'restored', injection: 'confirmed', problem: null });
      const used = cpuUsedNs(on.id);
      const { cpus } = await measureCpu([on.id], 500);
      expect(cpus[0]).toBeLessThan(0.01);
      expect(used).toBeGreaterThan(0);
    },
  );

  it('runs in all control groups of the target but those that would hold it or the engine up, and leaves nothing', async () => {
    const on = await target();
    const agent = await agentOn('whole.jsonl');
    const lease = saturate(on);
    const groupsBefore = groupFolders(on.id);
    const before = await on.container.inspect();

    const injected = await inForce(agent, lease);
    expect(await claimsOf(lease)).toHaveLength(1);
    const workers = (injected.proof.read as { workers: number[] }).workers;
    expect(workers).toHaveLength(1);
    const found = stressors(lease);
    expect(found.map(({ pid }) => pid)).toEqual(expect.arrayContaining(workers));
    const own = groupsOf(before.State.Pid);
    const joined = groupsOf(workers[0] as number);
    const apart = Object.keys(own).filter((controllers) => joined[controllers] !== own[controllers]);
    expect(apart.toSorted()).toEqual(
      Object.keys(own)
        .filter((name) => /^(devices|freezer)$/.test(name))
        .toSorted(),
    );

    const undone = await undo(agent, lease);
    expect(undone).toMatchObject({ outcome: 'restored', injection: 'confirmed', released_by: 'workflow' });
    expect(undone.proofs.map((proof) => [proof.stage, proof.outcome])).toEqual([
      ['before_undo', 'confirmed'],
      ['undone', 'restored'],
    ]);
    expect(stressors(lease)).toEqual([]);
    expect(isPinned(lease)).toBe(false);
    expect(await claimsOf(lease)).toEqual([]);
    expect(groupFolders(on.id)).toEqual(groupsBefore);
    const after = await on.container.inspect();
    expect([after.State, after.HostConfig]).toEqual([before.State, before.HostConfig]);
  });

  it('needs nothing of an image, a writable file system, capabilities or a user', async () => {
    const image = await importSleepImage();
    try {
      const on = await target({
        image: image.name,
        user: '65534:65534',
        host: { ReadonlyRootfs: true, CapDrop: ['ALL'], NetworkMode: 'none', SecurityOpt: ['no-new-privileges'] },
      });
      const agent = await agentOn('bare.jsonl');
      const lease = saturate(on);
      expect(await inForce(agent, lease)).toMatchObject({ outcome: 'confirmed' });
      expect(await undo(agent, lease)).toMatchObject({ outcome: 'restored' });
      // As its HTTP body: no file was added, changed or deleted.
      expect(String(await on.container.changes()).trim()).toBe('null');
      await on.remove();
    } finally {
      await image.remove();
    }
  });

  it('is done once however often it is asked for, and its undo too', async () => {
    const on = await target();
    const agent = await agentOn('twice.jsonl');
    const lease = saturate(on);
    await agent.arm(await agent.prepare(lease));
    const reports = await Promise.all([agent.inject(lease.lease_id), agent.inject(lease.lease_id)]);
    expect(reports[1]).toEqual(reports[0]);
    expect(stressors(lease).filter(({ command }) => command.includes('/stressor'))).toHaveLength(2);
    const undone = await Promise.all([undo(agent, lease), undo(agent, lease, 'operator')]);
    expect(undone[1]).toEqual(undone[0]);
    expect(stressors(lease)).toEqual([]);
  });

  it('is refused while another lease holds the same CPU, and goes along with a pause', async () => {
    const on = await target();
    const agent = await agentOn('conflict.jsonl');
    const other = await agentOn('conflict-other.jsonl');
    const holder = saturate(on);
    await inForce(agent, holder);
    await expect(other.prepare(saturate(on))).rejects.toMatchObject({
      code: 'lease.conflict',
      details: { holder_lease_id: holder.lease_id },
    });
    const pause = leaseOn(on, { engineId });
    await inForce(agent, pause);
    const undone = await undo(agent, holder);
    expect(undone).toMatchObject({ outcome: 'restored', injection: 'confirmed' });
    expect(await undo(agent, pause)).toMatchObject({ outcome: 'restored' });
  });

  it('ends by itself when the agent is gone for good, and an agent that comes later knows it did', async () => {
    const on = await target();
    const lease = saturate(on, { durationMs: 1_000, graceMs: 500 });
    const begunMs = Date.now();
    await injectAndDie({ journal: 'expiry.jsonl', lease, dieAt: 'agent.after-proof' });
    const inForceMs = Date.now();
    expect(stressors(lease).length).toBeGreaterThan(0);
    await until('the stressor ends by itself', () => stressors(lease).length === 0);
    // After the agent would have ended it, and within grace and two seconds of the deadline.
    expect(Date.now() - begunMs).toBeGreaterThanOrEqual(1_500);
    expect(Date.now() - inForceMs).toBeLessThanOrEqual(1_000 + 500 + 2_000);
    const agent = await agentOn('expiry.jsonl');
    await agent.endDue();
    expect(agent.unacknowledged()).toMatchObject([
      { lease_id: lease.lease_id, injection: 'confirmed', outcome: 'restored', released_by: 'expiry' },
    ]);
    expect(isPinned(lease)).toBe(false);
    expect(await claimsOf(lease)).toEqual([]);
  });

  it('is undone from the journal by the next agent when the first died in the middle of its inject', async () => {
    const on = await target();
    const lease = saturate(on);
    await injectAndDie({ journal: 'dead.jsonl', lease, dieAt: 'agent.after-inject' });
    expect(stressors(lease).length).toBeGreaterThan(0);
    const agent = await agentOn('dead.jsonl');
    const undone = await undo(agent, lease, 'operator');
    expect(undone).toMatchObject({ outcome: 'restored', injection: 'inconclusive' });
    expect(stressors(lease)).toEqual([]);
    expect(isPinned(lease)).toBe(false);
  });

  it('is injected anew by the next agent, for its whole time, when the first died in the middle of it', async () => {
    const on = await target();
    const lease = saturate(on);
    await injectAndDie({ journal: 'again.jsonl', lease, dieAt: 'agent.after-inject' });
    const first = stressors(lease).map(({ pid }) => pid);
    const agent = await agentOn('again.jsonl');
    expect(await agent.inject(lease.lease_id)).toMatchObject({ outcome: 'confirmed' });
    const second = stressors(lease).map(({ pid }) => pid);
    expect(second.filter((pid) => first.includes(pid))).toEqual([]);
    expect(await undo(agent, lease)).toMatchObject({ outcome: 'restored' });
  });

  it('ends with its target: said to have ended early, and gone or replaced as it was', async () => {
    const agent = await agentOn('changed.jsonl');
    const outcomes: unknown[] = [];
    const changes: ((on: Sleeper) => Promise<unknown>)[] = [
      (on) => on.container.kill(),
      (on) => on.container.restart({ t: 0 }),
      (on) => on.container.remove({ force: true }),
    ];
    for (const change of changes) {
      const on = await target();
      const lease = saturate(on);
      await inForce(agent, lease);
      await change(on);
      await until('the stressor is gone with its target', () => stressors(lease).length === 0, 2_000);
      const { injection, outcome, problem } = await undo(agent, lease);
      const isRunning = outcome === 'replaced';
      outcomes.push([injection, outcome, problem, isRunning || groupFolders(on.id).length === 0]);
      expect(isPinned(lease)).toBe(false);
    }
    expect(outcomes).toEqual([
      ['ended_early', 'gone', null, true],
      ['ended_early', 'replaced', null, true],
      ['ended_early', 'gone', null, true],
    ]);
  });

  it('clears the control groups of a container that was removed while the stressor was held in them', async () => {
    const on = await target();
    const agent = await agentOn('held.jsonl');
    const lease = saturate(on);
    await inForce(agent, lease);
    // Frozen, the watcher cannot end the stressor, which then keeps the groups from being removed with the container.
    const held = stressors(lease);
    for (const { pid } of held) signal(pid, 'SIGSTOP');
    await on.container.remove({ force: true });
    expect(groupFolders(on.id).length).toBeGreaterThan(0);
    const undone = await undo(agent, lease);
    expect(undone).toMatchObject({ outcome: 'gone', injection: 'ended_early' });
    expect(groupFolders(on.id)).toEqual([]);
    expect(stressors(lease)).toEqual([]);
  });

  it('is said to have ended early when somebody killed or stopped the stressor', async () => {
    const agent = await agentOn('killed.jsonl');
    for (const name of ['SIGKILL', 'SIGTERM', 'SIGSTOP'] as const) {
      const on = await target();
      const lease = saturate(on);
      await inForce(agent, lease);
      for (const { pid, command } of stressors(lease)) if (command.startsWith('/usr/bin/stress-ng')) signal(pid, name);
      if (name !== 'SIGSTOP') {
        await until(
          'it is dead',
          () => !stressors(lease).some(({ command }) => command.startsWith('/usr/bin/stress-ng')),
        );
      }
      const undone = await undo(agent, lease);
      expect([name, undone.injection, undone.outcome]).toEqual([name, 'ended_early', 'restored']);
      expect(stressors(lease)).toEqual([]);
    }
  });

  it('survives a kill of its launcher and is undone all the same', async () => {
    const on = await target();
    const agent = await agentOn('launcher.jsonl');
    const lease = saturate(on);
    await inForce(agent, lease);
    for (const { pid, command } of stressors(lease)) if (command.includes('/stressor')) signal(pid, 'SIGKILL');
    expect(stressors(lease).length).toBeGreaterThan(0);
    const undone = await undo(agent, lease);
    expect(undone).toMatchObject({ injection: 'confirmed', outcome: 'restored' });
    expect(stressors(lease)).toEqual([]);
  });

  it('fits into a target of six mebibytes, and goes first when memory runs out there', async () => {
    const on = await target({ host: { Memory: 6 << 20, MemorySwap: 6 << 20 } });
    const agent = await agentOn('memory.jsonl');
    const lease = saturate(on);
    const { outcome, proof } = await inForce(agent, lease);
    expect(outcome).toBe('confirmed');
    const [worker] = (proof.read as { workers: number[] }).workers;
    expect((await readFile(`/proc/${worker}/oom_score_adj`, 'utf8')).trim()).toBe('1000');
    expect(await undo(agent, lease)).toMatchObject({ outcome: 'restored' });
    expect((await on.container.inspect()).State).toMatchObject({ Running: true, OOMKilled: false });
  });

  it('starts in time under a quota that its own start would use up for seconds', async () => {
    const on = await target({ host: { CpuQuota: 2_000 } });
    const agent = await agentOn('small.jsonl');
    const lease = saturate(on, { percent: 100 });
    expect(await inForce(agent, lease)).toMatchObject({ outcome: 'confirmed' });
    expect(await undo(agent, lease)).toMatchObject({ outcome: 'restored', injection: 'confirmed' });
  });

  it('is not in force while it is frozen with its target, as a pause does in version 2, and is undone there', async () => {
    const on = await target();
    const group = groupFolders(on.id).find((folder) => existsSync(join(folder, 'cgroup.freeze')));
    if (group === undefined) throw new Error('no hierarchy of version 2 on this host');
    const agent = await agentOn('frozen.jsonl');
    const lease = saturate(on);
    await inForce(agent, lease);
    await writeFile(join(group, 'cgroup.freeze'), '1');
    await until('the group is frozen', async () =>
      /frozen 1/.test(await readFile(join(group, 'cgroup.events'), 'utf8')),
    );
    expect(await undo(agent, lease)).toMatchObject({ outcome: 'restored', injection: 'ended_early' });
    expect(stressors(lease)).toEqual([]);
    await writeFile(join(group, 'cgroup.freeze'), '0');
  });

  it('is not observed when a limit of processes leaves it no room in the target', async () => {
    const on = await target({ host: { PidsLimit: 2 } });
    const agent = await agentOn('refused.jsonl');
    const lease = saturate(on);
    const injected = await inForce(agent, lease);
    expect(injected.outcome).toBe('not_observed');
    expect(await undo(agent, lease)).toMatchObject({
      injection: 'not_observed',
      outcome: 'restored',
    });
    expect(stressors(lease)).toEqual([]);
  });

  it('is ended from the engine mark alone when journal and process are gone', async () => {
    const on = await target();
    const lease = saturate(on);
    await inForce(await agentOn('lost.jsonl'), lease);
    agents = [];
    const second = await agentOn('another.jsonl');
    await second.sweepMarks({ releasedBy: 'agent' });
    expect(stressors(lease)).toEqual([]);
    expect(second.unacknowledged()).toMatchObject([
      { lease_id: lease.lease_id, outcome: 'restored', released_by: 'agent' },
    ]);
    expect(readdirSync(join(home, 'pins'))).toEqual([]);
  });

  it('costs a fraction of a second beside its hold', async () => {
    const on = await target();
    const agent = await agentOn('cost.jsonl');
    const costs: { readonly inject: number; readonly undo: number }[] = [];
    for (let i = 0; i < 10; i += 1) {
      const lease = saturate(on);
      const { inject_ms: injectMs } = await inForce(agent, lease);
      const { undo_ms: undoMs } = await undo(agent, lease);
      costs.push({ inject: injectMs, undo: undoMs });
    }
    const sums = costs.map(({ inject, undo }) => inject + undo).toSorted((a, b) => a - b);
    console.log(`inject + undo of cpu.saturate, ms: ${JSON.stringify(costs)}; p50 ${sums[5]}`);
    expect(sums[5]).toBeLessThan(300);
  });

  it('is assessed as impossible on a container that is not there any more', async () => {
    const on = await target();
    const agent = await agentOn('assess.jsonl');
    const lease = saturate(on);
    expect(await agent.assess([lease])).toEqual([null]);
    await docker.getContainer(on.id).kill();
    expect(await agent.assess([lease])).toMatchObject([{ code: 'target.drift' }]);
  });
});
