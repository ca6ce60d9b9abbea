import type { JournaledLease } from '../agent/journal-entry.js';
import type { Database } from '../evidence/database.js';
import { findLease, recordInjected, recordUndone } from '../evidence/lease-store.js';
import type { UndoReport } from '../model/lease.js';

/** Where tombstones come from: a living agent, or a journal opened under its lock. */
export interface TombstoneSource {
  /** Ended, and not in Postgres as far as the journal knows. */
  unacknowledged(): Promise<readonly UndoReport[]>;
  lease(leaseId: string): Promise<JournaledLease | null>;
  acknowledge(leaseIds: readonly string[]): Promise<void>;
}

/**
 * Brings the agent's word into Postgres: every fault it ended while nobody was there to record it. A lease that this database does
 * not know (another one's) is left for the database that does.
 */
export async function importTombstones(options: {
  readonly db: Database;
  readonly agent: TombstoneSource;
}): Promise<readonly string[]> {
  const imported: string[] = [];
  for (const report of await options.agent.unacknowledged()) {
    const lease = await findLease(options.db, report.lease_id);
    if (lease === null) continue;
    const journaled = await options.agent.lease(report.lease_id);
    if (journaled?.inject_report)
      await recordInjected(options.db, { runId: lease.run_id, report: journaled.inject_report });
    await recordUndone(options.db, { runId: lease.run_id, report });
    await options.agent.acknowledge([report.lease_id]);
    imported.push(report.lease_id);
  }
  return imported;
}
