import { connectAgents } from '../agent/agent-client.js';
import type { Database } from '../evidence/database.js';
import { findUndoRecord, openLeases } from '../evidence/lease-store.js';
import type { LeaseRow } from '../evidence/lease-row.js';
import { findRun } from '../evidence/run-store.js';
import type { Home } from '../stack/home.js';
import { waitUntil } from '../stack/wait-until.js';
import { importTombstones } from '../worker/import-tombstones.js';
import { closeAll } from './connect-agent.js';

/** So long the runs' own workers may take before we turn to the agents ourselves. */
const WORKER_FIRST_MS = 5000;
/** So long a run may take to end once the agents have proven all its leases ended. */
const RUN_PATIENCE_MS = 5000;

/**
 * Waits until every lease of these runs is proven closed and the runs have ended. When their workers do not bring that about
 * soon, the agents of this machine are asked directly. Returns the leases that are still open at the end.
 */
export async function closeLeases(options: {
  readonly db: Database;
  readonly home: Home;
  readonly runIds: readonly string[];
  readonly withinMs: number;
}): Promise<readonly LeaseRow[]> {
  const { db, runIds } = options;
  const open = async () => (await Promise.all(runIds.map((runId) => openLeases(db, { runId })))).flat();
  const allEnded = async () => {
    const runs = await Promise.all(runIds.map((runId) => findRun(db, runId)));
    return runs.every((run) => run === null || run.ended_at !== null);
  };
  const settled = async () => (await allEnded()) && (await open()).length === 0;
  // What is open after its run's end is not going to be closed by that run.
  const hopeless = async () => (await allEnded()) && (await open()).length > 0;
  const done = async () => (await settled()) || (await hopeless());
  await waitUntil({ condition: done, withinMs: Math.min(WORKER_FIRST_MS, options.withinMs), everyMs: 100 });
  if (await settled()) return [];
  const agentsSaid = await undoByAgents({ db, home: options.home, leases: await open() });
  await waitUntil({ condition: settled, withinMs: agentsSaid ? RUN_PATIENCE_MS : options.withinMs, everyMs: 100 });
  return open();
}

/** Asks the agents to end these leases and records what they proved; true when every lease's agent has answered, whatever it said. */
async function undoByAgents(options: {
  readonly db: Database;
  readonly home: Home;
  readonly leases: readonly LeaseRow[];
}): Promise<boolean> {
  const agents = await connectAgents({ home: options.home.path });
  let answered = true;
  try {
    for (const lease of options.leases) {
      const record = await findUndoRecord(options.db, lease.lease_id);
      const agent = agents.find(({ engineId }) => engineId === lease.spec.target.engine_id);
      const report = await agent?.undo(lease.lease_id, { releasedBy: 'operator', record }).catch(() => undefined);
      answered &&= report !== undefined;
    }
    for (const agent of agents) await importTombstones({ db: options.db, agent });
  } finally {
    closeAll(agents);
  }
  return answered;
}
