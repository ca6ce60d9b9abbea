import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.js';
import { allClaims } from '../../src/agent/claims.js';
import { Journal } from '../../src/agent/journal.js';
import { connectDocker } from '../../src/engines/docker/docker-engine.js';
import type { Engine } from '../../src/engines/engine.js';
import { ensureEngineId } from '../../src/engines/engine-identity.js';
import { catalog } from '../../src/faults/catalog.js';
import { checkFault } from '../../src/faults/check-fault.js';
import { systemClock } from '../../src/host/system-clock.js';
import type { Mechanism } from '../../src/mechanisms/mechanism.js';
import { mechanisms } from '../../src/mechanisms/mechanisms.js';
import type { FaultEntry } from '../../src/model/fault.js';
import { isClean, type LeaseSpec } from '../../src/model/lease.js';
import { type Sleeper, startSleeper } from '../containers.js';
import { startLimited } from './cpu-observer.js';
import { leaseOn } from './leases.js';
import { namespaceOf } from './network-observer.js';

/** Longer than any test: nothing may end by itself while it is looked at. */
const DURATION_MS = 120_000;

/** What a fault of each mechanism can be done to. A new mechanism needs a line here: without one its tests fail. */
const targetOf: Readonly<Record<string, () => Promise<Sleeper>>> = {
  firewall: () => startSleeper(),
  pause: () => startSleeper(),
  stress: () => startLimited(),
};

const ids = Object.keys(mechanisms) as (keyof typeof mechanisms)[];

let engine: Engine;
let engineId: string;
let home: string;
let target: Sleeper | null = null;
let journal: Journal | null = null;
/** Ends for real what a failed test left. */
let undoAll: () => Promise<unknown> = async () => undefined;

beforeAll(async () => {
  engine = await connectDocker({ host: null });
  engineId = await ensureEngineId(engine);
  home = await mkdtemp(join(tmpdir(), 'mayhem-mutation-'));
});
afterEach(async () => {
  await undoAll();
  undoAll = async () => undefined;
  await journal?.close();
  await target?.remove();
  [journal, target] = [null, null];
});
afterAll(() => rm(home, { recursive: true }));

/** An agent whose mechanism does nothing for the verbs that `stubbed` names, for as long as it names them. */
async function stage(entry: FaultEntry, stubbed: Set<'inject' | 'undo'>) {
  const start = targetOf[entry.mechanism];
  if (start === undefined) throw new Error(`targetOf has no target for the mechanism ${entry.mechanism}`);
  target = await start();
  const real = mechanisms[entry.mechanism];
  const mutant: Mechanism = {
    ...real,
    inject: async (...given) => (stubbed.has('inject') ? undefined : real.inject(...given)),
    undo: async (...given) => (stubbed.has('undo') ? undefined : real.undo(...given)),
  };
  journal = await Journal.open({ file: join(home, `${target.name}.jsonl`), nowMs: Date.now() });
  const agent = new Agent({
    engine,
    engineId,
    installationId: `test-${process.pid}`,
    mechanisms: { ...mechanisms, [entry.mechanism]: mutant },
    journal,
    clock: systemClock,
    pins: join(home, 'pins'),
    log: () => undefined,
  });
  undoAll = () => {
    stubbed.clear();
    return agent.undoAll({ releasedBy: 'operator' });
  };
  const lease = await leaseFor(entry, target);
  const claims = async () => (await allClaims({ engine })).filter((claim) => claim.lease_id === lease.lease_id).length;
  return {
    agent,
    claims,
    isOpen: () => agent.openLeases().some((open) => open.lease_id === lease.lease_id),
    inject: async () => {
      await agent.arm(await agent.prepare(lease));
      return agent.inject(lease.lease_id);
    },
    undo: () => agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null }),
  };
}

/** The lease that admission would make of the catalog's sample of a fault. */
async function leaseFor(entry: FaultEntry, on: Sleeper): Promise<LeaseSpec> {
  const { params: given } = entry.sample;
  const { params, problems } = checkFault({ catalog, fault: entry.id, durationMs: DURATION_MS, params: given });
  expect(problems).toEqual([]);
  const { Pid: pid } = (await on.container.inspect()).State;
  const base = leaseOn(on, { engineId, durationMs: DURATION_MS });
  const pinned = { ...base.target, netns: await namespaceOf(pid) };
  const mechanismParams = entry.mechanismParams(params);
  return {
    ...base,
    fault: entry.id,
    mechanism: entry.mechanism,
    params: mechanismParams,
    target: pinned,
    resources: mechanisms[entry.mechanism].contract.resources({ target: pinned, params: mechanismParams }),
  };
}

describe.each(ids)('the mechanism %s', (id) => {
  const faults = catalog.filter((entry) => entry.mechanism === id);

  it('has a fault in the catalog that uses it, and a target here to try it on', () => {
    expect(faults.length).toBeGreaterThan(0);
    expect(Object.keys(targetOf)).toContain(id);
    expect(mechanisms[id].contract.id).toBe(id);
  });

  it.each(faults)('confirms $id and proves its end when every verb does its work', async (entry) => {
    const { inject, undo, claims, isOpen } = await stage(entry, new Set());
    expect(await inject()).toMatchObject({ outcome: 'confirmed' });
    expect([isOpen(), await claims()]).toEqual([true, 1]);
    expect(await undo()).toMatchObject({ injection: 'confirmed', outcome: 'restored', problem: null });
    expect([isOpen(), await claims()]).toEqual([false, 0]);
  });

  it.each(faults)('never confirms $id when inject does nothing', async (entry) => {
    const { inject, undo, claims, isOpen } = await stage(entry, new Set(['inject']));
    const { outcome } = await inject();
    expect(['not_observed', 'inconclusive']).toContain(outcome);
    const undone = await undo();
    expect(['not_observed', 'inconclusive']).toContain(undone.injection);
    expect(undone).toMatchObject({ outcome: 'restored', problem: null });
    expect([isOpen(), await claims()]).toEqual([false, 0]);
  });

  it.each(faults)(
    'never proves the end of $id when undo does nothing: the lease stays open and claimed',
    async (entry) => {
      const stubbed = new Set<'inject' | 'undo'>(['undo']);
      const { inject, undo, claims, isOpen } = await stage(entry, stubbed);
      expect(await inject()).toMatchObject({ outcome: 'confirmed' });
      // However often it is asked for.
      for (let i = 0; i < 2; i += 1) {
        const left = await undo();
        expect(['residue', 'unproven']).toContain(left.outcome);
        expect(isClean(left.outcome)).toBe(false);
        expect(left.problem).not.toBeNull();
        expect([isOpen(), await claims()]).toEqual([true, 1]);
      }
      stubbed.clear();
      expect(await undo()).toMatchObject({ injection: 'confirmed', outcome: 'restored', problem: null });
      expect([isOpen(), await claims()]).toEqual([false, 0]);
    },
  );
});
