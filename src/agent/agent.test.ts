import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock, fakeEngine } from '../../test/agent/fakes.js';
import { mechanisms } from '../mechanisms/mechanisms.js';
import type { LeaseSpec } from '../model/lease.js';
import { Agent } from './agent.js';
import { Journal } from './journal.js';

let folder: string;
let clock: ReturnType<typeof fakeClock>;
let fake: ReturnType<typeof fakeEngine>;
let open: Journal[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayhem-journal-'));
  clock = fakeClock();
  fake = fakeEngine();
  open = [];
});
afterEach(async () => {
  for (const journal of open) await journal.close();
  await rm(folder, { recursive: true });
});

async function agent(): Promise<Agent> {
  const journal = await Journal.open({ file: join(folder, 'journal.jsonl'), nowMs: clock.wallMs() });
  open.push(journal);
  return new Agent({
    engine: fake.engine,
    engineId: 'e',
    installationId: 'i',
    mechanisms,
    journal,
    clock,
    pins: folder,
    log: () => undefined,
  });
}

function lease(id: string, options: { readonly durationMs?: number } = {}): LeaseSpec {
  return {
    lease_id: id,
    run_id: 'r-1',
    step_id: 's-0001',
    fault: 'container.pause',
    mechanism: 'pause',
    params: {},
    target: {
      kind: 'container',
      engine_id: 'e',
      container_id: 'c1',
      started_at: fake.state.startedAt,
      name: 'target',
      netns: null,
      service: null,
      project: null,
    },
    duration_ms: options.durationMs ?? 10_000,
    resources: ['e/c1/state'],
    recovery: true,
    grace_ms: 2_000,
  };
}

async function inForce(by: Agent, id = 'l-1'): Promise<void> {
  await by.arm(await by.prepare(lease(id)));
  await by.inject(id);
}

describe('the agent', () => {
  it('refuses an inject that comes later than its window after arming', async () => {
    const a = await agent();
    await a.arm(await a.prepare(lease('l-1')));
    clock.advance(30_001);
    await expect(a.inject('l-1')).rejects.toMatchObject({ code: 'lease.late' });
    expect(fake.calls).toEqual([]);
  });

  it('refuses to inject what was not armed', async () => {
    const a = await agent();
    await a.prepare(lease('l-1'));
    await expect(a.inject('l-1')).rejects.toMatchObject({ code: 'lease.unknown' });
    expect(fake.calls).toEqual([]);
  });

  it('ends a lease at deadline plus grace, not before', async () => {
    const a = await agent();
    await inForce(a);
    clock.advance(11_999);
    expect(await a.endDue()).toBe(1);
    expect(fake.state.paused).toBe(true);
    clock.advance(1);
    expect(await a.endDue()).toBeNull();
    expect(fake.state.paused).toBe(false);
    expect(a.unacknowledged()).toMatchObject([
      { lease_id: 'l-1', released_by: 'agent', injection: 'confirmed', outcome: 'restored' },
    ]);
  });

  it('goes on holding after its own restart and ends the lease on time', async () => {
    await inForce(await agent());
    clock.advance(5_000);
    const restarted = await agent();
    await restarted.sweepMarks({ releasedBy: 'agent' });
    expect(await restarted.endDue()).toBe(7_000);
    expect(fake.state.paused).toBe(true);
    expect((await restarted.inject('l-1')).outcome).toBe('confirmed');
    expect(fake.calls).toEqual(['pause']);
    clock.advance(7_000);
    await restarted.endDue();
    expect(fake.calls).toEqual(['pause', 'unpause']);
  });

  it('ends every lease of an earlier boot at once', async () => {
    await inForce(await agent());
    clock.reboot();
    const restarted = await agent();
    await restarted.endDue();
    expect(fake.state.paused).toBe(false);
  });

  it('keeps the claim and tries again when an undo cannot be proven, until it is', async () => {
    const a = await agent();
    await inForce(a);
    fake.state.ignoreUnpause = true;
    const report = await a.undo('l-1', { releasedBy: 'workflow', record: null });
    expect(report).toMatchObject({ outcome: 'residue', injection: 'confirmed' });
    expect(fake.marks.size).toBe(1);
    expect(a.openLeases()).toHaveLength(1);
    fake.state.ignoreUnpause = false;
    clock.advance(2_000);
    await a.endDue();
    expect(fake.state.paused).toBe(false);
    expect(fake.marks.size).toBe(0);
    expect(a.unacknowledged()).toMatchObject([{ outcome: 'restored', injection: 'confirmed', released_by: 'agent' }]);
  });

  it('says unproven while the engine is down and undoes unaided once it is back', async () => {
    const a = await agent();
    await inForce(a);
    fake.state.down = true;
    expect(await a.undo('l-1', { releasedBy: 'workflow', record: null })).toMatchObject({
      outcome: 'unproven',
      problem: 'the engine is down',
    });
    fake.state.down = false;
    clock.advance(2_000);
    await a.endDue();
    expect(a.unacknowledged()).toMatchObject([{ lease_id: 'l-1', outcome: 'restored', injection: 'confirmed' }]);
  });

  it('never confirms an inject that did nothing', async () => {
    const a = await agent();
    await a.arm(await a.prepare(lease('l-1')));
    fake.state.ignorePause = true;
    expect((await a.inject('l-1')).outcome).toBe('not_observed');
    expect(await a.undo('l-1', { releasedBy: 'workflow', record: null })).toMatchObject({ injection: 'not_observed' });
  });

  it('leaves a kept lease alone until somebody asks for its undo', async () => {
    const a = await agent();
    await inForce(a);
    await a.keep('l-1');
    clock.advance(3_600_000);
    await a.endDue();
    expect(fake.state.paused).toBe(true);
    expect(await a.undo('l-1', { releasedBy: 'operator', record: null })).toMatchObject({
      outcome: 'restored',
      released_by: 'operator',
    });
  });

  it('undoes the leases of one target newest first', async () => {
    const a = await agent();
    const order: string[] = [];
    const spied = new Agent({
      engine: fake.engine,
      engineId: 'e',
      installationId: 'i',
      mechanisms: {
        ...mechanisms,
        pause: { ...mechanisms.pause, undo: async (_context, record) => void order.push(record.lease.lease_id) },
      },
      journal: open[0] as Journal,
      clock,
      pins: folder,
      log: () => undefined,
    });
    for (const id of ['l-1', 'l-2']) {
      await a.arm(await a.prepare({ ...lease(id), resources: [id] }));
      fake.state.paused = false;
      await a.inject(id);
      fake.state.paused = false;
    }
    await spied.undoAll({ releasedBy: 'operator' });
    expect(order).toEqual(['l-2', 'l-1']);
  });
});

describe('the journal', () => {
  it('drops a torn last line, since what it announced was not begun', async () => {
    await inForce(await agent());
    const file = join(folder, 'journal.jsonl');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -20));
    const journal = await Journal.open({ file, nowMs: clock.wallMs() });
    open.push(journal);
    expect(journal.damage).toEqual([]);
    expect(journal.lease('l-1')).toMatchObject({ state: 'injecting', inject_report: null });
  });

  it('names a damaged line and keeps a copy of the file, instead of losing it in silence', async () => {
    await inForce(await agent());
    const file = join(folder, 'journal.jsonl');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"injecting"', '"inJecting"'));
    const journal = await Journal.open({ file, nowMs: 42 });
    open.push(journal);
    expect(journal.damage).toEqual(['line 2']);
    expect(await readFile(`${file}.damaged-42`, 'utf8')).toContain('inJecting');
    expect(journal.lease('l-1')?.state).toBe('injected');
  });

  it('writes itself anew when its file is deleted under a living agent', async () => {
    const a = await agent();
    await inForce(a);
    const file = join(folder, 'journal.jsonl');
    await rm(file);
    await a.undo('l-1', { releasedBy: 'workflow', record: null });
    open.push(await Journal.open({ file, nowMs: clock.wallMs() }));
    expect(open.at(-1)?.lease('l-1')).toMatchObject({ state: 'closed', undo_report: { injection: 'confirmed' } });
  });

  it('forgets what is closed, recorded and a day old, and nothing else', async () => {
    const a = await agent();
    await inForce(a);
    await a.undo('l-1', { releasedBy: 'workflow', record: null });
    const file = join(folder, 'journal.jsonl');
    const late = clock.wallMs() + 25 * 3_600_000;
    open.push(await Journal.open({ file, nowMs: late }));
    expect(open.at(-1)?.lease('l-1')?.undo_report?.outcome).toBe('restored');
    await (await agent()).acknowledge(['l-1']);
    open.push(await Journal.open({ file, nowMs: clock.wallMs() }));
    expect(open.at(-1)?.leases).toHaveLength(1);
    open.push(await Journal.open({ file, nowMs: late }));
    expect(open.at(-1)?.leases).toEqual([]);
  });
});

describe('a second look', () => {
  it('ends a fault that came back, and opens the lease again when it cannot', async () => {
    const a = await agent();
    await inForce(a);
    await a.undo('l-1', { releasedBy: 'workflow', record: null });
    clock.advance(2_000);
    fake.state.paused = true;
    expect(await a.recheck('l-1')).toMatchObject({ outcome: 'restored' });
    expect(fake.state.paused).toBe(false);
    expect(a.openLeases()).toEqual([]);
    fake.state.paused = true;
    fake.state.ignoreUnpause = true;
    expect(await a.recheck('l-1')).toMatchObject({ outcome: 'residue' });
    expect(a.openLeases()).toHaveLength(1);
    fake.state.ignoreUnpause = false;
    clock.advance(2_000);
    await a.endDue();
    expect(a.openLeases()).toEqual([]);
    expect(fake.state.paused).toBe(false);
  });
});
