import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAgents } from '../agent/agent-client.js';
import { Journal } from '../agent/journal.js';
import { openAgent } from '../agent/open-agent.js';
import type { UndoOptions } from '../agent/agent.js';
import type { JournaledLease } from '../agent/journal-entry.js';
import { connectDocker } from '../engines/docker/docker-engine.js';
import { openLog } from '../host/log.js';
import type { ReleasedBy, UndoReport } from '../model/lease.js';
import { type Home, prepareHome } from '../stack/home.js';
import type { TombstoneSource } from '../worker/import-tombstones.js';

/** Whether any journal of this home tells of a lease that is not proven ended: readable whoever lives. */
export async function isAnythingInForce(home: Home): Promise<boolean> {
  const names = await readdir(home.path).catch(() => []);
  const journals = names.filter((name) => /^journal-[0-9a-f-]+\.jsonl$/.test(name));
  const leases = await Promise.all(journals.map((name) => Journal.peek(join(home.path, name))));
  return leases.flat().some((lease) => lease.state !== 'closed');
}

/** What ends leases on one engine: its living agent, or one that this process runs under the same lock. */
export interface Hands extends TombstoneSource {
  readonly engineId: string;
  sweepMarks(options: { readonly releasedBy: ReleasedBy }): Promise<void>;
  openLeases(): Promise<readonly JournaledLease[]>;
  undo(leaseId: string, options: UndoOptions): Promise<UndoReport>;
  undoAll(options: { readonly releasedBy: ReleasedBy }): Promise<readonly UndoReport[]>;
  close(): Promise<void>;
}

/** Every agent of this home that answers. */
export async function livingHands(home: Home): Promise<readonly Hands[]> {
  const agents = await connectAgents({ home: home.path });
  return agents.map((client) => ({
    engineId: client.engineId,
    sweepMarks: (sweep) => client.sweepMarks(sweep),
    openLeases: () => client.openLeases(),
    undo: (leaseId, undo) => client.undo(leaseId, undo),
    undoAll: (undo) => client.undoAll(undo),
    unacknowledged: () => client.unacknowledged(),
    lease: (leaseId) => client.lease(leaseId),
    acknowledge: (leaseIds) => client.acknowledge(leaseIds),
    close: async () => client.close(),
  }));
}

/**
 * The hands of this home: every agent that answers, or, when none does, an agent of our own for the engine at `dockerHost`, which
 * needs neither Temporal nor Postgres. Throws `engine.unreachable`, `agent.locked`.
 */
export async function findHands(options: {
  readonly home: Home;
  readonly dockerHost: string | null;
}): Promise<readonly Hands[]> {
  const living = await livingHands(options.home);
  if (living.length > 0) return living;
  prepareHome(options.home);
  const engine = await connectDocker({ host: options.dockerHost });
  const { dockerHost } = options;
  const log = openLog({ name: 'rescue' });
  const opened = await openAgent({ home: options.home.path, engine, dockerHost, log });
  const { agent } = opened;
  return [
    {
      engineId: opened.engineId,
      sweepMarks: (sweep) => agent.sweepMarks(sweep),
      openLeases: async () => agent.openLeases(),
      undo: (leaseId, undo) => agent.undo(leaseId, undo),
      undoAll: (undo) => agent.undoAll(undo),
      unacknowledged: async () => agent.unacknowledged(),
      lease: async (leaseId) => agent.lease(leaseId),
      acknowledge: (leaseIds) => agent.acknowledge(leaseIds),
      close: () => opened.close(),
    },
  ];
}
