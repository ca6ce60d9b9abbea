import { sql } from 'kysely';
import type { Database } from './database.js';

export interface WorkerRow {
  readonly worker_id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly string[];
  readonly started_at: string;
  readonly beat_at: string;
}

/** A beat older than this, in milliseconds, means that its worker is dead or hung. */
export const STALE_BEAT_MS = 3_000;

/** Says that a worker lives; meant to be called once a second. Times are the database's. */
export async function beat(
  db: Database,
  options: {
    readonly workerId: string;
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly queues: readonly string[];
  },
): Promise<void> {
  const now = sql<string>`clock_timestamp()`;
  const queues = JSON.stringify(options.queues);
  await db
    .insertInto('workers')
    .values({
      worker_id: options.workerId,
      host: options.host,
      pid: options.pid,
      version: options.version,
      queues,
      started_at: now,
      beat_at: now,
    })
    .onConflict((conflict) => conflict.column('worker_id').doUpdateSet({ beat_at: now, queues }))
    .execute();
}

/** Workers whose last beat is fresh, oldest first. */
export async function liveWorkers(
  db: Database,
  options: { readonly staleMs?: number } = {},
): Promise<readonly WorkerRow[]> {
  return db
    .selectFrom('workers')
    .selectAll()
    .where('beat_at', '>=', staleBefore(options))
    .orderBy('started_at')
    .execute();
}

/** Workers whose beat has stopped without a farewell, oldest first. */
export async function deadWorkers(
  db: Database,
  options: { readonly staleMs?: number } = {},
): Promise<readonly WorkerRow[]> {
  return db
    .selectFrom('workers')
    .selectAll()
    .where('beat_at', '<', staleBefore(options))
    .orderBy('started_at')
    .execute();
}

/** Removes a worker that ended, or that was found dead; true for the one caller whose call removed it. */
export async function forgetWorker(db: Database, workerId: string): Promise<boolean> {
  const gone = await db.deleteFrom('workers').where('worker_id', '=', workerId).returning('worker_id').execute();
  return gone.length > 0;
}

function staleBefore(options: { readonly staleMs?: number }) {
  return sql<string>`clock_timestamp() - make_interval(secs => ${(options.staleMs ?? STALE_BEAT_MS) / 1000})`;
}
