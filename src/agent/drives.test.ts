import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock, fakeEngine } from '../../test/agent/fakes.js';
import type { Driven, Notes } from '../mechanisms/contract.js';
import type { ActContext, Mechanism } from '../mechanisms/mechanism.js';
import { mechanisms } from '../mechanisms/mechanisms.js';
import type { ContainerTarget, LeaseSpec } from '../model/lease.js';
import { Agent } from './agent.js';
import { Journal } from './journal.js';

let folder: string;
let clock: ReturnType<typeof fakeClock>;
let fake: ReturnType<typeof fakeEngine>;
let journals: Journal[];
/** Waits of the drives, oldest first: each ends when the test lets it. */
let naps: { readonly ms: number; readonly end: () => void }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayhem-drives-'));
  clock = fakeClock();
  fake = fakeEngine();
  journals = [];
  naps = [];
});
afterEach(async () => {
  for (const journal of journals) await journal.close();
  await rm(folder, { recursive: true });
});

type Drive = (context: ActContext, notes: Notes) => Promise<Driven>;

/** An agent whose pause acts as `drive` says, on the journal that every agent of a test shares. */
async function agentThat(drive: Drive): Promise<Agent> {
  const journal = await Journal.open({ file: join(folder, 'journal.jsonl'), nowMs: clock.wallMs() });
  journals.push(journal);
  const driven: Mechanism = { ...mechanisms.pause, drive: (context, _record, notes) => drive(context, notes) };
  return new Agent({
    engine: fake.engine,
    engineId: 'e',
    installationId: 'i',
    mechanisms: { ...mechanisms, pause: driven },
    journal,
    clock,
    pins: folder,
    log: () => undefined,
    sleep: (ms, signal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
        naps.push({ ms, end: resolve });
      }),
  });
}

const target: ContainerTarget = {
  kind: 'container',
  engine_id: 'e',
  container_id: 'c1',
  started_at: '2026-01-01T00:00:00.000000001Z',
  name: 'target',
  netns: null,
  service: null,
  project: null,
};
const lease = (id: string): LeaseSpec => ({
  lease_id: id,
  run_id: 'r-1',
  step_id: 's-0001',
  fault: 'container.pause',
  mechanism: 'pause',
  params: {},
  target,
  duration_ms: 10_000,
  resources: ['e/c1/state'],
  recovery: true,
  grace_ms: 2_000,
});

async function inForce(by: Agent, id = 'l-1'): Promise<void> {
  await by.arm(await by.prepare(lease(id)));
  await by.inject(id);
}

/** Lets everything else go on until the condition holds; the journal really writes meanwhile. */
async function soon(what: string, condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets the time of the last wait pass. */
function wake(): void {
  const nap = naps.pop();
  if (nap === undefined) throw new Error('nothing waits');
  clock.advance(nap.ms);
  nap.end();
}

const counting: Drive = async (_context, notes) => {
  const acts = Number(notes['acts'] ?? 0) + 1;
  return { notes: { acts }, nextInMs: acts === 3 ? null : 2_000 };
};
const acts = (agent: Agent) => agent.lease('l-1')?.drive?.notes['acts'];

describe('a fault that acts repeatedly', () => {
  it('acts right after its inject and then whenever the time it named is over, until it has no next one', async () => {
    const agent = await agentThat(counting);
    await inForce(agent);
    await soon('the first act', () => acts(agent) === 1 && naps.length === 1);
    expect(naps.map(({ ms }) => ms)).toEqual([2_000]);
    wake();
    await soon('the second act', () => acts(agent) === 2 && naps.length === 1);
    wake();
    await soon('the third act', () => acts(agent) === 3);
    expect(agent.lease('l-1')).toMatchObject({ state: 'injected', drive: { next_boot_ms: null, under_way: false } });
    expect(naps).toEqual([]);
  });

  it('goes on where it was when the agent is started again, on time', async () => {
    const first = await agentThat(counting);
    await inForce(first);
    await soon('the first act', () => acts(first) === 1);
    await first.stop();
    naps = [];
    clock.advance(500);
    const second = await agentThat(counting);
    second.resumeDrives();
    await soon('it waits', () => naps.length === 1);
    expect(naps[0]?.ms).toBe(1_500);
    wake();
    await soon('the second act', () => acts(second) === 2);
    await second.stop();
  });

  it('is asked again with the same notes after an agent was killed in mid-act, or an act failed', async () => {
    const seen: Notes[] = [];
    const first = await agentThat(async (_context, notes) => {
      seen.push(notes);
      if (seen.length === 1) throw new Error('the engine is away');
      if (seen.length === 2) return { notes: { acts: 1 }, nextInMs: 0 };
      return new Promise<never>(() => undefined);
    });
    await inForce(first);
    await soon('the failed act waits for its next try', () => naps.length === 1);
    expect(first.lease('l-1')?.drive).toMatchObject({ notes: {}, under_way: true });
    wake();
    await soon('an act that never ends', () => seen.length === 3);
    const second = await agentThat(async (_context, notes) => {
      seen.push(notes);
      return { notes: { acts: 2 }, nextInMs: null };
    });
    second.resumeDrives();
    await soon('it acts', () => acts(second) === 2);
    expect(seen).toEqual([{}, {}, { acts: 1 }, { acts: 1 }]);
  });

  it('does not act any more once its hold is over, nor after its undo, and its undo sees the notes', async () => {
    let called = 0;
    const agent = await agentThat(async () => {
      called += 1;
      return { notes: { acts: called }, nextInMs: 4_000 };
    });
    await inForce(agent);
    for (const count of [1, 2, 3]) {
      await soon(`act ${count}`, () => acts(agent) === count);
      if (count < 3) {
        await soon('it waits', () => naps.length === 1);
        wake();
      }
    }
    // The next one would come 2 s after the deadline.
    clock.advance(1_999);
    agent.resumeDrives();
    expect([called, naps]).toEqual([3, []]);
    expect(await agent.undo('l-1', { releasedBy: 'workflow', record: null })).toMatchObject({ outcome: 'restored' });
    agent.resumeDrives();
    expect([called, naps]).toEqual([3, []]);
  });

  it('does not try a failed act again once its hold is over', async () => {
    let called = 0;
    const agent = await agentThat(async () => {
      called += 1;
      throw new Error('the engine is away');
    });
    await inForce(agent);
    await soon('it waits for its next try', () => naps.length === 1);
    clock.advance(9_999);
    wake();
    await agent.stop();
    expect(called).toBe(1);
  });

  it('has an act cut off when its undo comes, whose end then counts only when it still holds later', async () => {
    const cut: unknown[] = [];
    let landed = false;
    const agent = await agentThat(
      ({ signal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => {
            cut.push((signal.reason as Error).message);
            // What was sent to the engine lands all the same.
            setTimeout(() => {
              fake.state.paused = true;
              landed = true;
            }, 300);
            reject(new Error('cut off'));
          });
        }),
    );
    await inForce(agent);
    await soon('it acts', () => agent.lease('l-1')?.drive?.under_way === true);
    const undone = agent.undo('l-1', { releasedBy: 'workflow', record: null });
    await expect(undone).resolves.toMatchObject({ outcome: 'restored', injection: 'confirmed' });
    expect(cut).toEqual(['its fault is to end']);
    await soon('it has landed', () => landed);
    expect(fake.state.paused).toBe(false);
    expect(fake.calls.filter((call) => call === 'unpause').length).toBeGreaterThan(0);
  });

  it('hands the incarnation that it brought up to what the same run does next there, and to nobody else', async () => {
    const startedAt = '2026-01-01T00:01:00.000000001Z';
    const agent = await agentThat(async () => {
      fake.state.startedAt = startedAt;
      fake.state.paused = false;
      return { notes: {}, nextInMs: null, repinned: { ...target, started_at: startedAt } };
    });
    await inForce(agent);
    await soon('it is repinned', () => agent.lease('l-1')?.successor?.started_at === startedAt);
    expect(await agent.undo('l-1', { releasedBy: 'workflow', record: null })).toMatchObject({ outcome: 'replaced' });
    await expect(agent.prepare({ ...lease('l-2'), run_id: 'r-2' })).rejects.toMatchObject({ code: 'target.drift' });
    const next = await agent.prepare(lease('l-3'));
    expect(next.lease.target.started_at).toBe(startedAt);
    // Whoever replaces it after that is somebody else.
    await agent.undo('l-3', { releasedBy: 'workflow', record: null });
    fake.state.startedAt = '2026-01-01T00:02:00.000000001Z';
    await expect(agent.prepare(lease('l-4'))).rejects.toMatchObject({ code: 'target.drift' });
  });
});

describe('an agent that is stopping', () => {
  it('starts nothing new, gives free what was claimed and not armed, and still ends what is open', async () => {
    const agent = await agentThat(counting);
    await inForce(agent);
    const armed = { ...lease('l-2'), resources: ['other'] };
    fake.state.paused = false;
    const record = await agent.prepare(armed);
    const claimed = await agent.prepare({ ...lease('l-3'), resources: ['third'] });
    await agent.arm(record);
    fake.state.paused = true;
    await agent.stop();
    expect(fake.marks.size).toBe(2);
    const refused = { code: 'agent.unreachable', message: 'the agent is stopping: it starts nothing new' };
    await expect(agent.prepare(lease('l-4'))).rejects.toMatchObject(refused);
    await expect(agent.arm(claimed)).rejects.toMatchObject(refused);
    await expect(agent.inject('l-2')).rejects.toMatchObject(refused);
    expect((await agent.inject('l-1')).outcome).toBe('confirmed');
    await agent.undoAll({ releasedBy: 'agent' });
    expect([agent.openLeases(), fake.state.paused, fake.marks.size]).toEqual([[], false, 0]);
  });
});
