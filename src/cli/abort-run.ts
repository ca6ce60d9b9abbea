import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../evidence/database.js';
import { requestAbort } from '../evidence/request-store.js';
import { MayhemError } from '../model/error.js';
import type { StackLocation } from '../stack/stack-file.js';
import { connectTemporal } from './temporal-client.js';

const RETRY_MS = 300;

/**
 * Asks a run to end and undo: by a row in Postgres and by a signal, so that either being away loses nothing. Tries again
 * until one of the two has arrived, at most `withinMs`. Throws run.missing, and what Postgres said last.
 */
export async function abortRun(options: {
  readonly db: Database;
  readonly temporal: StackLocation['temporal'];
  readonly env: NodeJS.ProcessEnv;
  readonly runId: string;
  readonly actor: string;
  readonly reason: string;
  readonly withinMs: number;
}): Promise<void> {
  const { actor, db, reason, runId } = options;
  const end = performance.now() + options.withinMs;
  for (;;) {
    const [row, signal] = await Promise.allSettled([requestAbort(db, { runId, actor, reason }), signalAbort(options)]);
    if (row.status === 'fulfilled' || signal.status === 'fulfilled') return;
    const error: unknown = row.reason;
    const final = error instanceof MayhemError && error.code === 'run.missing';
    if (final || performance.now() > end) throw error;
    await sleep(RETRY_MS);
  }
}

/** Tells a run's workflow to end, by a signal alone. Throws temporal.unreachable, also when there is no such workflow. */
export async function signalAbort(
  options: Pick<Parameters<typeof abortRun>[0], 'temporal' | 'env' | 'runId' | 'actor' | 'reason'>,
): Promise<void> {
  const temporal = await connectTemporal(options);
  try {
    await temporal.abort(options);
  } finally {
    await temporal.close();
  }
}
