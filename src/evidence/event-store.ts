import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { MayhemError } from '../model/error.js';
import type { EventKind, RunEvent } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import { inTransaction } from './database.js';
import type { Database } from './database.js';
import { hashOfEvent } from './hash-chain.js';
import { project } from './project.js';
import type { Schema } from './schema.js';
import { storable, storableTime } from './storable.js';

export interface NewEvent {
  readonly kind: EventKind;
  /** When it happened, RFC 3339; absent: now, by the database's clock. */
  readonly at?: string;
  readonly payload: JsonObject;
}

/** A run's row under lock: nobody else appends to its history until the transaction ends. */
export interface LockedRun {
  readonly run_id: string;
  readonly status: string;
  readonly plan_digest: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly last_seq: number;
  readonly last_hash: string;
  /** The database's clock at the lock, RFC 3339 UTC with milliseconds. */
  readonly now: string;
}

/** Locks a run's row until the transaction ends. Throws `run.missing`. */
export async function lockRun(trx: Transaction<Schema>, runId: string): Promise<LockedRun> {
  const row = await trx
    .selectFrom('runs')
    .select(['run_id', 'status', 'plan_digest', 'started_at', 'ended_at', 'last_seq', 'last_hash'])
    .select(sql<string>`clock_timestamp()`.as('now'))
    .where('run_id', '=', runId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw runMissing(runId);
  return row;
}

export function runMissing(runId: string): MayhemError {
  return new MayhemError('run.missing', `there is no run ${runId}`, {
    hint: 'List the runs with `mayhem inspect runs`.',
  });
}

/**
 * Appends events to a run's history, in order, and brings the state tables to what they say. The run's row is locked meanwhile, so
 * the chain never forks. Returns them as stored. Throws `run.missing`.
 */
export async function appendEvents(
  db: Database,
  options: { readonly runId: string; readonly events: readonly NewEvent[] },
): Promise<readonly RunEvent[]> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    const stored = chain(run, options.events);
    const last = stored.at(-1);
    if (last === undefined) return [];
    await trx
      .insertInto('events')
      .values(stored.map((event) => ({ ...event, payload: JSON.stringify(event.payload) })))
      .execute();
    await trx
      .updateTable('runs')
      .set({ last_seq: last.seq, last_hash: last.hash })
      .where('run_id', '=', options.runId)
      .execute();
    await project(trx, { runId: options.runId, events: stored });
    return stored;
  });
}

function chain(run: LockedRun, events: readonly NewEvent[]): readonly RunEvent[] {
  let seq = run.last_seq;
  let prevHash = run.last_hash;
  return events.map((event) => {
    seq += 1;
    const unhashed = {
      run_id: run.run_id,
      seq,
      kind: event.kind,
      at: event.at === undefined ? run.now : storableTime(event.at),
      recorded_at: run.now,
      payload: storable(event.payload),
      prev_hash: prevHash,
    };
    prevHash = hashOfEvent(unhashed);
    return { ...unhashed, hash: prevHash };
  });
}

/** Appends one event; see `appendEvents`. */
export async function appendEvent(
  db: Database,
  options: { readonly runId: string; readonly kind: EventKind; readonly at?: string; readonly payload: JsonObject },
): Promise<RunEvent> {
  const { runId, ...event } = options;
  const [stored] = await appendEvents(db, { runId, events: [event] });
  return stored as RunEvent;
}

/** The events of a run after one, oldest first, at most `limit` (default 1000). `seq` 0: from the beginning. */
export async function eventsAfter(
  db: Database,
  options: { readonly runId: string; readonly seq: number; readonly limit?: number },
): Promise<readonly RunEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('run_id', '=', options.runId)
    .where('seq', '>', options.seq)
    .orderBy('seq')
    .limit(options.limit ?? 1000)
    .execute();
  return rows.map((row) => ({ ...row, kind: row.kind as EventKind }));
}
