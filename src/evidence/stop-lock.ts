import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { MayhemError } from '../model/error.js';
import type { Schema } from './schema.js';

/** Any number of our own. Admission shares it, the stop switch takes it alone: no run is admitted unseen by who stops them all. */
const STOP_LOCK = 730_104_002;

export async function lockStarts(trx: Transaction<Schema>, mode: 'shared' | 'exclusive'): Promise<void> {
  await (mode === 'shared'
    ? sql`select pg_advisory_xact_lock_shared(${sql.lit(STOP_LOCK)})`
    : sql`select pg_advisory_xact_lock(${sql.lit(STOP_LOCK)})`
  ).execute(trx);
}

/** Refuses while the stop switch is set. Throws `starts.stopped` with who set it and why. */
export async function refuseWhenStopped(trx: Transaction<Schema>): Promise<void> {
  await lockStarts(trx, 'shared');
  const stop = await trx.selectFrom('stop_switch').selectAll().where('lifted_at', 'is', null).executeTakeFirst();
  if (stop === undefined) return;
  throw new MayhemError(
    'starts.stopped',
    `no run may start: ${stop.actor} stopped all runs at ${stop.set_at} (${stop.reason})`,
    {
      hint: 'Lift it with `mayhem stop --lift` when that is over.',
      details: { actor: stop.actor, reason: stop.reason, set_at: stop.set_at },
    },
  );
}
