import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.js';
import { Journal } from '../../src/agent/journal.js';
import { allClaims } from '../../src/agent/claims.js';
import { connectDocker } from '../../src/engines/docker/docker-engine.js';
import type { Engine } from '../../src/engines/engine.js';
import { ensureEngineId } from '../../src/engines/engine-identity.js';
import { systemClock } from '../../src/host/system-clock.js';
import { mechanisms } from '../../src/mechanisms/mechanisms.js';
import { pauseEvents, type Sleeper, startSleeper, until } from '../containers.js';
import { leaseOn } from './leases.js';

let engine: Engine;
let engineId: string;
let home: string;
let targets: Sleeper[] = [];
const journals: Journal[] = [];

beforeAll(async () => {
  engine = await connectDocker({ host: null });
  engineId = await ensureEngineId(engine);
  home = await mkdtemp(join(tmpdir(), 'mayhem-agent-'));
});
afterEach(async () => {
  for (const target of targets) await target.remove();
  targets = [];
});
afterAll(async () => {
  for (const journal of journals) await journal.close();
  await rm(home, { recursive: true });
});

async function target(): Promise<Sleeper> {
  const sleeper = await startSleeper();
  targets.push(sleeper);
  return sleeper;
}

async function agentOn(name: string): Promise<Agent> {
  const journal = await Journal.open({ file: join(home, name), nowMs: Date.now() });
  journals.push(journal);
  return new Agent({
    engine,
    engineId,
    installationId: `test-${process.pid}`,
    mechanisms,
    journal,
    clock: systemClock,
    pins: join(home, 'pins'),
    log: () => undefined,
  });
}

async function claimsOf(leaseId: string) {
  return (await allClaims({ engine })).filter((claim) => claim.lease_id === leaseId);
}

describe('a pause through the agent, on a real engine', () => {
  it('is confirmed by a read-back, undone, proven restored, and leaves no claim', async () => {
    const sleeper = await target();
    const agent = await agentOn('whole.jsonl');
    const lease = leaseOn(sleeper, { engineId });
    const sinceMs = Date.now();

    const record = await agent.prepare(lease);
    expect(await claimsOf(lease.lease_id)).toHaveLength(1);
    expect(await sleeper.isPaused()).toBe(false);
    await agent.arm(record);
    const injected = await agent.inject(lease.lease_id);
    expect(await sleeper.isPaused()).toBe(true);
    expect(injected).toMatchObject({ outcome: 'confirmed', proof: { read: { paused: true, freezer: 'frozen' } } });

    const undone = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(await sleeper.isPaused()).toBe(false);
    expect(undone).toMatchObject({
      outcome: 'restored',
      injection: 'confirmed',
      released_by: 'workflow',
      problem: null,
    });
    expect(undone.proofs.map((proof) => proof.stage)).toEqual(['before_undo', 'undone']);
    expect(await claimsOf(lease.lease_id)).toEqual([]);
    expect(await pauseEvents({ id: sleeper.id, sinceMs })).toEqual(['pause', 'unpause']);
  });

  it('is done once however often it is asked for, and its undo too', async () => {
    const sleeper = await target();
    const agent = await agentOn('twice.jsonl');
    const lease = leaseOn(sleeper, { engineId });
    const sinceMs = Date.now();
    const [first, second] = await Promise.all([agent.prepare(lease), agent.prepare(lease)]);
    expect(second).toEqual(first);
    await agent.arm(first);
    await agent.arm(first);
    const reports = await Promise.all([agent.inject(lease.lease_id), agent.inject(lease.lease_id)]);
    expect(reports[1]).toEqual(reports[0]);
    const undone = await Promise.all([
      agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null }),
      agent.undo(lease.lease_id, { releasedBy: 'operator', record: null }),
    ]);
    expect(undone[1]).toEqual(undone[0]);
    expect(await pauseEvents({ id: sleeper.id, sinceMs })).toEqual(['pause', 'unpause']);
  });

  it('is refused once its undo has been asked for, armed or not', async () => {
    const sleeper = await target();
    const agent = await agentOn('fenced.jsonl');
    const never = leaseOn(sleeper, { engineId });
    await agent.undo(never.lease_id, { releasedBy: 'workflow', record: null });
    await expect(agent.prepare(never)).rejects.toMatchObject({ code: 'lease.closed' });

    const prepared = leaseOn(sleeper, { engineId });
    const record = await agent.prepare(prepared);
    await agent.undo(prepared.lease_id, { releasedBy: 'workflow', record: null });
    await expect(agent.arm(record)).rejects.toMatchObject({ code: 'lease.closed' });
    expect(await claimsOf(prepared.lease_id)).toEqual([]);

    const armed = leaseOn(sleeper, { engineId });
    await agent.arm(await agent.prepare(armed));
    const report = await agent.undo(armed.lease_id, { releasedBy: 'workflow', record: null });
    expect(report).toMatchObject({ injection: 'not_started', outcome: 'restored' });
    await expect(agent.inject(armed.lease_id)).rejects.toMatchObject({ code: 'lease.closed' });
    expect(await sleeper.isPaused()).toBe(false);
  });

  it('is refused while another lease holds the target, naming the holder', async () => {
    const sleeper = await target();
    const agent = await agentOn('conflict.jsonl');
    const other = await agentOn('conflict-other.jsonl');
    const holder = leaseOn(sleeper, { engineId });
    await agent.arm(await agent.prepare(holder));
    await expect(other.prepare(leaseOn(sleeper, { engineId }))).rejects.toMatchObject({
      code: 'lease.conflict',
      details: { holder_run_id: holder.run_id, holder_lease_id: holder.lease_id },
    });
    await agent.undo(holder.lease_id, { releasedBy: 'operator', record: null });
    await other.undo((await other.prepare(leaseOn(sleeper, { engineId }))).lease.lease_id, {
      releasedBy: 'operator',
      record: null,
    });
  });

  it('is refused on a container that somebody else has paused, and their pause stays', async () => {
    const sleeper = await target();
    const agent = await agentOn('foreign.jsonl');
    const before = leaseOn(sleeper, { engineId });
    await sleeper.container.pause();
    await expect(agent.prepare(before)).rejects.toMatchObject({ code: 'target.drift' });
    await sleeper.container.unpause();

    const between = leaseOn(sleeper, { engineId });
    await agent.arm(await agent.prepare(between));
    await sleeper.container.pause();
    await expect(agent.inject(between.lease_id)).rejects.toMatchObject({ code: 'target.drift' });
    expect(await agent.undo(between.lease_id, { releasedBy: 'workflow', record: null })).toMatchObject({
      injection: 'not_started',
    });
    expect(await sleeper.isPaused()).toBe(true);
  });

  it('says ended early when an operator unpaused it, replaced when he restarted it, gone when he removed it', async () => {
    const agent = await agentOn('changed.jsonl');
    const outcomes: unknown[] = [];
    const changes: ((sleeper: Sleeper) => Promise<unknown>)[] = [
      (sleeper) => sleeper.container.unpause(),
      (sleeper) => sleeper.container.restart({ t: 0 }),
      (sleeper) => sleeper.container.remove({ force: true }),
    ];
    for (const change of changes) {
      const sleeper = await target();
      const lease = leaseOn(sleeper, { engineId });
      await agent.arm(await agent.prepare(lease));
      await agent.inject(lease.lease_id);
      await change(sleeper);
      const { injection, outcome } = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
      outcomes.push([injection, outcome]);
    }
    expect(outcomes).toEqual([
      ['ended_early', 'restored'],
      ['ended_early', 'replaced'],
      ['ended_early', 'gone'],
    ]);
  });

  it('is ended by the agent itself once deadline and grace are over', async () => {
    const sleeper = await target();
    const agent = await agentOn('deadline.jsonl');
    const lease = leaseOn(sleeper, { engineId, durationMs: 300, graceMs: 200 });
    await agent.arm(await agent.prepare(lease));
    const { injected_at } = await agent.inject(lease.lease_id);
    await agent.endDue();
    expect(await sleeper.isPaused()).toBe(true);
    await until('the agent ends it', async () => {
      await agent.endDue();
      return !(await sleeper.isPaused());
    });
    const [report] = agent.unacknowledged();
    expect(report).toMatchObject({ released_by: 'agent', injection: 'confirmed', outcome: 'restored' });
    expect(Date.parse(report?.undone_at ?? '') - Date.parse(injected_at)).toBeGreaterThanOrEqual(490);
    await agent.acknowledge([lease.lease_id]);
    expect(agent.unacknowledged()).toEqual([]);
  });

  it('is ended from the engine mark alone when journal and process are gone', async () => {
    const sleeper = await target();
    const first = await agentOn('lost.jsonl');
    const lease = leaseOn(sleeper, { engineId });
    await first.arm(await first.prepare(lease));
    await first.inject(lease.lease_id);

    const second = await agentOn('another.jsonl');
    await second.sweepMarks({ releasedBy: 'agent' });
    expect(await sleeper.isPaused()).toBe(false);
    expect(second.unacknowledged()).toMatchObject([
      { lease_id: lease.lease_id, outcome: 'restored', released_by: 'agent' },
    ]);
    expect(await claimsOf(lease.lease_id)).toEqual([]);
  });
});
