import type { Transaction } from 'kysely';
import type { Binding } from '../model/binding.js';
import { digestOf } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import type { LeaseSpec } from '../model/lease.js';
import type { Decision } from '../model/policy.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { insertDecisions } from './decision-rows.js';
import { appendEvents, lockRun } from './event-store.js';
import type { NewEvent } from './event-store.js';
import { holdResources } from './resource-holds.js';
import type { Schema } from './schema.js';
import { refuseWhenStopped } from './stop-lock.js';
import { storable } from './storable.js';

/**
 * Lets a run begin, in one transaction: stores its binding and the gates' decisions, makes its leases (pending) and takes all their
 * resources. A second call with the same binding does nothing. Throws `starts.stopped` while the stop switch is set, `lease.conflict`
 * when a resource is another run's, `lease.closed` when the run has ended or was admitted with another binding, `run.missing`.
 */
export async function admitRun(
  db: Database,
  options: { readonly runId: string; readonly binding: Binding; readonly decisions: readonly Decision[] },
): Promise<void> {
  const binding = storable(options.binding);
  await inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    if (await isAdmitted(trx, options.runId, binding)) return;
    if (run.ended_at !== null) throw new MayhemError('lease.closed', `run ${options.runId} has ended: ${run.status}`);
    await refuseWhenStopped(trx);
    await insertLeases(trx, { runId: options.runId, leases: binding.leases, now: run.now });
    await holdResources(trx, { runId: options.runId, leases: binding.leases, now: run.now });
    await trx
      .updateTable('runs')
      .set({ binding: JSON.stringify(binding) })
      .where('run_id', '=', options.runId)
      .execute();
    const decided = await insertDecisions(trx, options);
    await appendEvents(trx, {
      runId: options.runId,
      events: [
        { kind: 'safety.decided', payload: decided },
        {
          kind: 'run.started',
          payload: {
            plan_digest: binding.plan_digest,
            binding_digest: binding.digest,
            binding_content: digestOf(binding),
          },
        },
        ...binding.leases.map(pendingEvent),
      ],
    });
  });
}

async function isAdmitted(trx: Transaction<Schema>, runId: string, binding: Binding): Promise<boolean> {
  const { binding: stored } = await trx
    .selectFrom('runs')
    .select('binding')
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  if (stored === null) return false;
  if (stored.digest === binding.digest) return true;
  throw new MayhemError('lease.closed', `run ${runId} was admitted with another binding`, {
    hint: 'Start a new run: a run keeps the identities it was admitted with.',
  });
}

async function insertLeases(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly leases: readonly LeaseSpec[]; readonly now: string },
): Promise<void> {
  if (options.leases.length === 0) return;
  const rows = options.leases.map((lease) => ({
    lease_id: lease.lease_id,
    run_id: options.runId,
    step_id: lease.step_id,
    fault: lease.fault,
    target_name: lease.target.name,
    spec: JSON.stringify(lease),
    state: 'pending',
    created_at: options.now,
  }));
  await trx.insertInto('leases').values(rows).execute();
}

function pendingEvent(lease: LeaseSpec): NewEvent {
  return {
    kind: 'lease.state_changed',
    payload: {
      lease_id: lease.lease_id,
      step_id: lease.step_id,
      fault: lease.fault,
      target: lease.target.name,
      from: null,
      to: 'pending',
    },
  };
}
