import type { Client } from '@temporalio/client';
import type { AgentClient } from '../agent/agent-client.js';
import type { Database } from '../evidence/database.js';
import { findLease, recordInjected, recordUndone } from '../evidence/lease-store.js';
import { markForwarded, pendingAborts } from '../evidence/request-store.js';
import { ABORT_SIGNAL } from '../model/run-control.js';

/**
 * Brings the agent's word into Postgres: every fault it ended while nobody was there to record it. A lease that this database does
 * not know (another one's) is left for the database that does.
 */
export async function importTombstones(options: {
  readonly db: Database;
  readonly agent: AgentClient;
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

/** Hands abort requests that are only in Postgres yet to their workflows. */
export async function forwardAborts(options: { readonly db: Database; readonly client: Client }): Promise<void> {
  for (const request of await pendingAborts(options.db)) {
    await options.client.workflow
      .getHandle(request.run_id)
      .signal(ABORT_SIGNAL, { actor: request.actor, reason: request.reason });
    await markForwarded(options.db, request.request_id);
  }
}

/**
 * Takes every running drill off the queue of a worker that is gone: a workflow task would else wait for it until its sticky timeout.
 */
export async function resetSticky(options: {
  readonly client: Client;
  readonly runIds: readonly string[];
}): Promise<void> {
  const { client } = options;
  for (const workflowId of options.runIds) {
    await client.workflowService
      .resetStickyTaskQueue({ namespace: client.options.namespace, execution: { workflowId } })
      .catch((error: { code?: number }) => {
        // 5 is NOT_FOUND: the workflow has ended, or has not started yet.
        if (error.code !== 5) throw error;
      });
  }
}
