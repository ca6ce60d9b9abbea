import { sql } from 'kysely';
import { MayhemError } from '../model/error.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { appendEvents, lockRun } from './event-store.js';
import { lockStarts } from './stop-lock.js';
import { storableText } from './storable.js';

export interface AbortRequest {
  readonly request_id: string;
  readonly run_id: string;
  readonly actor: string;
  readonly reason: string;
  readonly created_at: string;
}

export interface StopState {
  readonly actor: string;
  readonly reason: string;
  readonly set_at: string;
}

/**
 * Asks for a run to be aborted; returns the request's id. It is kept until a worker has handed it to the workflow.
 * Throws `run.missing`.
 */
export async function requestAbort(
  db: Database,
  options: { readonly runId: string; readonly actor: string; readonly reason: string },
): Promise<string> {
  const [actor, reason] = [storableText(options.actor), storableText(options.reason)];
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    const { request_id: requestId } = await trx
      .insertInto('requests')
      .values({
        kind: 'abort',
        run_id: options.runId,
        actor,
        reason,
        created_at: run.now,
        // A run that has ended has nobody to hand it to.
        forwarded_at: run.ended_at === null ? null : run.now,
      })
      .returning('request_id')
      .executeTakeFirstOrThrow();
    if (run.ended_at === null) {
      await appendEvents(trx, {
        runId: options.runId,
        events: [{ kind: 'run.abort_requested', payload: { request_id: requestId, actor, reason } }],
      });
    }
    return requestId;
  });
}

/** Whether anybody has asked for this run's abort, handed on or not: from then on nothing of it may start. */
export async function isAbortRequested(db: Database, runId: string): Promise<boolean> {
  const row = await db
    .selectFrom('requests')
    .select('request_id')
    .where('run_id', '=', runId)
    .where('kind', '=', 'abort')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Throws `starts.stopped` once anybody has asked for this run's abort. */
export async function refuseWhenAborting(db: Database, runId: string): Promise<void> {
  if (!(await isAbortRequested(db, runId))) return;
  throw new MayhemError('starts.stopped', `run ${runId} was asked to abort: nothing of it starts any more`);
}

/** Abort requests that no worker has handed on yet, of runs that have not ended, oldest first. */
export async function pendingAborts(db: Database): Promise<readonly AbortRequest[]> {
  return db
    .selectFrom('requests')
    .innerJoin('runs', 'runs.run_id', 'requests.run_id')
    .select(['requests.request_id', 'requests.run_id', 'requests.actor', 'requests.reason', 'requests.created_at'])
    .where('requests.kind', '=', 'abort')
    .where('requests.forwarded_at', 'is', null)
    .where('runs.ended_at', 'is', null)
    .orderBy('requests.request_id')
    .execute();
}

/** Notes that a request has reached its workflow. */
export async function markForwarded(db: Database, requestId: string): Promise<void> {
  await db
    .updateTable('requests')
    .set({ forwarded_at: sql<string>`clock_timestamp()` })
    .where('request_id', '=', requestId)
    .where('forwarded_at', 'is', null)
    .execute();
}

/** Refuses all starts from now on. When it returns, every run that was admitted before is visible. Set already: stays as it was. */
export async function setStop(
  db: Database,
  options: { readonly actor: string; readonly reason: string },
): Promise<StopState> {
  await inTransaction(db, async (trx) => {
    await lockStarts(trx, 'exclusive');
    await sql`
      insert into stop_switch (actor, reason, set_at)
      values (${storableText(options.actor)}, ${storableText(options.reason)}, clock_timestamp())
      on conflict do nothing`.execute(trx);
  });
  const state = await stopState(db);
  if (state === null) throw new MayhemError('internal.failed', 'the stop switch was lifted while it was being set');
  return state;
}

/** Allows starts again; false when they were allowed already. */
export async function liftStop(db: Database, options: { readonly actor: string }): Promise<boolean> {
  const lifted = await db
    .updateTable('stop_switch')
    .set({ lifted_by: storableText(options.actor), lifted_at: sql<string>`clock_timestamp()` })
    .where('lifted_at', 'is', null)
    .returning('stop_id')
    .execute();
  return lifted.length > 0;
}

/** Who stopped all starts, when and why; null when they are allowed. */
export async function stopState(db: Database): Promise<StopState | null> {
  const row = await db
    .selectFrom('stop_switch')
    .select(['actor', 'reason', 'set_at'])
    .where('lifted_at', 'is', null)
    .executeTakeFirst();
  return row ?? null;
}
