import type { Transaction } from 'kysely';
import { MayhemError } from '../model/error.js';
import type { LeaseSpec } from '../model/lease.js';
import type { Schema } from './schema.js';

const ATTEMPTS = 3;

/**
 * Takes all resources of a run's leases, or none. Leases of one run share a resource; another run's are waited for only while that
 * run is being admitted. Throws `lease.conflict` naming run, lease, fault and deadline of the holder.
 */
export async function holdResources(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly leases: readonly LeaseSpec[]; readonly now: string },
): Promise<void> {
  const { runId, leases, now } = options;
  // In one order everywhere: two admissions at once wait for each other, never in a circle.
  const wanted = [...new Set(leases.flatMap((lease) => lease.resources))].sort();
  for (let attempt = 1; wanted.length > 0; attempt += 1) {
    await trx
      .insertInto('resource_holds')
      .values(wanted.map((resource) => ({ resource, run_id: runId, held_at: now })))
      .onConflict((conflict) => conflict.column('resource').doNothing())
      .execute();
    const held = await trx.selectFrom('resource_holds').selectAll().where('resource', 'in', wanted).execute();
    const foreign = held.find((row) => row.run_id !== runId);
    if (foreign !== undefined) throw await conflictOver(trx, foreign.resource, foreign.run_id);
    if (held.length === wanted.length) break;
    // Freed between the two statements: try again.
    if (attempt === ATTEMPTS)
      throw new MayhemError('lease.conflict', 'a resource of this run changes hands too fast to be taken');
  }
  const rows = leases.flatMap((lease) =>
    [...new Set(lease.resources)].map((resource) => ({ lease_id: lease.lease_id, resource, run_id: runId })),
  );
  if (rows.length > 0) await trx.insertInto('lease_resources').values(rows).execute();
}

async function conflictOver(trx: Transaction<Schema>, resource: string, runId: string): Promise<MayhemError> {
  const holder = await trx
    .selectFrom('lease_resources')
    .innerJoin('leases', 'leases.lease_id', 'lease_resources.lease_id')
    .select(['leases.lease_id', 'leases.fault', 'leases.target_name', 'leases.state', 'leases.deadline'])
    .where('lease_resources.resource', '=', resource)
    .where('lease_resources.run_id', '=', runId)
    .where('lease_resources.released_at', 'is', null)
    .orderBy('leases.created_at')
    .executeTakeFirst();
  const until =
    holder?.deadline === null || holder?.deadline === undefined ? 'not injected yet' : `until ${holder.deadline}`;
  const what =
    holder === undefined
      ? `${resource} is held by run ${runId}`
      : `${holder.target_name} is held by run ${runId}: lease ${holder.lease_id}, ${holder.fault}, ${holder.state}, ${until}`;
  const stuck = holder?.state === 'dirty' || holder?.state === 'kept_faulted' || holder?.state === 'orphaned';
  return new MayhemError('lease.conflict', what, {
    hint: stuck
      ? `Undo what is left with \`mayhem recover ${runId}\`.`
      : `Wait for that run, or end it with \`mayhem stop ${runId}\`.`,
    details: {
      resource,
      run_id: runId,
      lease_id: holder?.lease_id ?? null,
      fault: holder?.fault ?? null,
      deadline: holder?.deadline ?? null,
    },
  });
}

/** Frees what one lease owns; a resource is free for others once no open lease of the run owns it. */
export async function freeResources(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly leaseId: string; readonly now: string },
): Promise<void> {
  const freed = await trx
    .updateTable('lease_resources')
    .set({ released_at: options.now })
    .where('lease_id', '=', options.leaseId)
    .where('released_at', 'is', null)
    .returning('resource')
    .execute();
  if (freed.length === 0) return;
  await trx
    .deleteFrom('resource_holds')
    .where('run_id', '=', options.runId)
    .where(
      'resource',
      'in',
      freed.map((row) => row.resource),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('lease_resources')
            .select('lease_resources.lease_id')
            .whereRef('lease_resources.resource', '=', 'resource_holds.resource')
            .whereRef('lease_resources.run_id', '=', 'resource_holds.run_id')
            .where('lease_resources.released_at', 'is', null),
        ),
      ),
    )
    .execute();
}
