import type { Transaction } from 'kysely';
import { digestOf } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import type { InjectReport, LeaseState, ReleasedBy, UndoRecord } from '../model/lease.js';
import { isClean } from '../model/lease.js';
import type { UndoReport } from '../model/lease.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { appendEvents, lockRun } from './event-store.js';
import type { NewEvent } from './event-store.js';
import { CLOSED_LEASE_STATES, isClosed } from './lease-row.js';
import type { LeaseRow } from './lease-row.js';
import { insertProofs } from './proof-rows.js';
import { refuseWhenAborting } from './request-store.js';
import { freeResources } from './resource-holds.js';
import type { Schema } from './schema.js';
import { storable, storableTime } from './storable.js';

/**
 * Stores a lease's undo record, before anything is injected, and returns the stored one: a retry never replaces the first.
 * Throws `lease.closed` when the lease is no longer pending, `starts.stopped` once somebody has asked for the run's abort,
 * `lease.unknown` when there is none.
 */
export async function recordArmed(db: Database, options: { readonly record: UndoRecord }): Promise<UndoRecord> {
  const record = storable(options.record);
  const { lease } = record;
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, lease.run_id);
    const row = await requireLease(trx, { runId: lease.run_id, leaseId: lease.lease_id });
    const stored = await findUndoRecord(trx, lease.lease_id);
    if (stored !== null) return stored;
    if (row.state !== 'pending')
      throw new MayhemError('lease.closed', `lease ${lease.lease_id} is ${row.state}: it cannot be armed`);
    // Under the lock that a request for an abort takes too: after one, nothing new can come to be in force.
    await refuseWhenAborting(trx, lease.run_id);
    await trx
      .insertInto('undo_records')
      .values({ lease_id: lease.lease_id, run_id: lease.run_id, record: JSON.stringify(record), recorded_at: run.now })
      .execute();
    await appendEvents(trx, {
      runId: lease.run_id,
      events: [
        { kind: 'fault.armed', at: record.prepared_at, payload: { ...nameOf(row), record_digest: digestOf(record) } },
      ],
    });
    return record;
  });
}

/** The undo record of a lease; null when it was never armed. */
export async function findUndoRecord(db: Database, leaseId: string): Promise<UndoRecord | null> {
  const row = await db.selectFrom('undo_records').select('record').where('lease_id', '=', leaseId).executeTakeFirst();
  return row?.record ?? null;
}

/** Records that a fault was injected, with its proof; once. Throws `lease.unknown`, `run.missing`. */
export async function recordInjected(
  db: Database,
  options: { readonly runId: string; readonly report: InjectReport },
): Promise<void> {
  const { runId, report } = options;
  await inTransaction(db, async (trx) => {
    await lockRun(trx, runId);
    const row = await requireLease(trx, { runId, leaseId: report.lease_id });
    if (row.deadline !== null) return;
    const [proof] = await insertProofs(trx, { runId, leaseId: report.lease_id, proofs: [report.proof] });
    const injected: NewEvent = {
      kind: 'fault.injected',
      at: report.injected_at,
      payload: {
        ...nameOf(row),
        duration_ms: row.spec.duration_ms,
        outcome: report.outcome,
        injected_at: storableTime(report.injected_at),
        deadline: storableTime(report.deadline),
        inject_ms: report.inject_ms,
        proofs: proof === undefined ? [] : [proof],
      },
    };
    // Recorded late, after the undo: what was proven is kept, the lease stays as it ended.
    const changes = row.state === 'pending' ? [stateEvent({ row, to: 'active', at: report.injected_at })] : [];
    await appendEvents(trx, { runId, events: [injected, ...changes] });
  });
}

/**
 * Records how a fault ended. Clean: the lease is released and its resources are free; else it is dirty and keeps them. A clean report
 * on a dirty or kept lease releases it. The same report again, or any on a released lease, changes nothing.
 * Throws `lease.unknown`, `run.missing`.
 */
export async function recordUndone(
  db: Database,
  options: { readonly runId: string; readonly report: UndoReport },
): Promise<void> {
  const { runId } = options;
  const report = storable(options.report);
  await inTransaction(db, async (trx) => {
    const run = await lockRun(trx, runId);
    const row = await requireLease(trx, { runId, leaseId: report.lease_id });
    const clean = isClean(report.outcome);
    const repeated = row.state === 'dirty' && row.outcome === report.outcome && row.problem === report.problem;
    if (isClosed(row.state) || (!clean && repeated)) return;
    const proofs = await insertProofs(trx, { runId, leaseId: report.lease_id, proofs: report.proofs });
    const ended = {
      ...nameOf(row),
      outcome: report.outcome,
      injection: report.injection,
      released_by: report.released_by,
      injected_at: report.injected_at === null ? row.injected_at : storableTime(report.injected_at),
      undone_at: storableTime(report.undone_at),
      undo_ms: report.undo_ms,
      problem: report.problem,
      proofs,
    };
    const to: LeaseState = clean ? 'released' : 'dirty';
    await appendEvents(trx, {
      runId,
      events: [
        ...(report.released_by === 'agent'
          ? [
              {
                kind: 'agent.undone',
                at: report.undone_at,
                payload: { ...nameOf(row), outcome: report.outcome },
              } as const,
            ]
          : []),
        { kind: clean ? 'fault.recovered' : 'fault.failed', at: report.undone_at, payload: ended },
        ...(row.state === to ? [] : [stateEvent({ row, to, at: report.undone_at })]),
      ],
    });
    if (clean) await freeResources(trx, { runId, leaseId: report.lease_id, now: run.now });
  });
}

/**
 * Records a second look at a lease that was over. One that was in force again, and could not be ended, is dirty. Throws
 * `lease.unknown`, `run.missing`.
 */
export async function recordRecheck(
  db: Database,
  options: { readonly runId: string; readonly report: UndoReport },
): Promise<void> {
  const { runId } = options;
  const report = storable(options.report);
  await inTransaction(db, async (trx) => {
    await lockRun(trx, runId);
    const row = await requireLease(trx, { runId, leaseId: report.lease_id });
    const { outcome, problem } = report;
    const read = report.proofs.find((proof) => proof.stage === 'undone')?.read ?? {};
    const look = { ...nameOf(row), outcome, problem, read };
    const events: NewEvent[] = [{ kind: 'fault.observed', payload: look }];
    if (!isClean(outcome)) {
      events.push({ kind: 'lease.state_changed', payload: { ...nameOf(row), from: row.state, to: 'dirty', outcome } });
    }
    await appendEvents(trx, { runId, events });
  });
}

/** Records that a fault is kept in force on purpose after its hold; its lease keeps its resources. Once. */
export async function recordKept(
  db: Database,
  options: { readonly runId: string; readonly leaseId: string; readonly at: string },
): Promise<void> {
  const { runId, leaseId, at } = options;
  await inTransaction(db, async (trx) => {
    await lockRun(trx, runId);
    const row = await requireLease(trx, { runId, leaseId });
    if (row.state === 'kept_faulted' || isClosed(row.state)) return;
    await appendEvents(trx, {
      runId,
      events: [stateEvent({ row, to: 'kept_faulted', at, members: { outcome: 'kept_faulted' } })],
    });
  });
}

/** Closes the leases of a run that were never armed: nothing of them ever reached a target. */
export async function closeUnstartedLeases(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly at: string },
): Promise<void> {
  const rows = await selectLeases(trx)
    .where('run_id', '=', options.runId)
    .where('state', '=', 'pending')

    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('undo_records')
            .select('undo_records.lease_id')
            .whereRef('undo_records.lease_id', '=', 'leases.lease_id'),
        ),
      ),
    )
    .execute();
  for (const row of rows.map(toLeaseRow)) {
    const members = { injection: 'not_started', outcome: 'none' };
    const event = stateEvent({ row, to: 'released', at: options.at, members });
    const [stored] = await appendEvents(trx, { runId: options.runId, events: [event] });
    await freeResources(trx, { runId: options.runId, leaseId: row.lease_id, now: stored?.recorded_at ?? options.at });
  }
}

/** Leases that still own their resources, oldest first; of one run when it is named. */
export async function openLeases(
  db: Database,
  options: { readonly runId?: string } = {},
): Promise<readonly LeaseRow[]> {
  let query = selectLeases(db).where('state', 'not in', [...CLOSED_LEASE_STATES]);
  if (options.runId !== undefined) query = query.where('run_id', '=', options.runId);
  return (await query.execute()).map(toLeaseRow);
}

/** All leases of a run, in the order of its steps. */
export async function leasesOfRun(db: Database, runId: string): Promise<readonly LeaseRow[]> {
  return (await selectLeases(db).where('run_id', '=', runId).execute()).map(toLeaseRow);
}

/** One lease; null when there is none of that id. */
export async function findLease(db: Database, leaseId: string): Promise<LeaseRow | null> {
  const row = await selectLeases(db).where('lease_id', '=', leaseId).executeTakeFirst();
  return row === undefined ? null : toLeaseRow(row);
}

function selectLeases(db: Database) {
  return db.selectFrom('leases').selectAll().orderBy('created_at').orderBy('step_id').orderBy('lease_id');
}

type Selected = Awaited<ReturnType<ReturnType<typeof selectLeases>['executeTakeFirstOrThrow']>>;

function toLeaseRow(row: Selected): LeaseRow {
  return {
    ...row,
    state: row.state as LeaseRow['state'],
    injection: row.injection as LeaseRow['injection'],
    outcome: row.outcome as LeaseRow['outcome'],
    released_by: row.released_by as ReleasedBy | null,
  };
}

async function requireLease(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly leaseId: string },
): Promise<LeaseRow> {
  const lease = await findLease(trx, options.leaseId);
  if (lease !== null && lease.run_id === options.runId) return lease;
  throw new MayhemError('lease.unknown', `run ${options.runId} has no lease ${options.leaseId}`);
}

function nameOf(row: LeaseRow): { lease_id: string; step_id: string; fault: string; target: string } {
  return { lease_id: row.lease_id, step_id: row.step_id, fault: row.fault, target: row.target_name };
}

function stateEvent(options: {
  readonly row: LeaseRow;
  readonly to: LeaseState;
  readonly at: string;
  readonly members?: { readonly [name: string]: string };
}): NewEvent {
  return {
    kind: 'lease.state_changed',
    at: options.at,
    payload: { ...nameOf(options.row), from: options.row.state, to: options.to, ...options.members },
  };
}
