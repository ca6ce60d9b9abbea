import type { Client } from '@temporalio/client';
import type { Database } from '../evidence/database.js';
import { markForwarded, pendingAborts } from '../evidence/request-store.js';
import { ABORT_SIGNAL } from '../model/run-control.js';

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
