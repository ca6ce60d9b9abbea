import type { CriterionResult } from '../model/criterion.js';
import type { EventKind, RunEvent } from '../model/event.js';
import type { Proof, UndoRecord } from '../model/lease.js';
import type { Sample } from '../model/observation.js';
import type { Decision } from '../model/policy.js';
import type { Database } from './database.js';
import { runMissing } from './event-store.js';
import type { LeaseRow } from './lease-row.js';
import { leasesOfRun } from './lease-store.js';
import type { RunRow } from './run-row.js';
import { findRun } from './run-store.js';

export interface StepRow {
  readonly step_id: string;
  readonly kind: string;
  readonly seq: number;
  readonly block: number;
  readonly state: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface UndoRecordRow {
  readonly lease_id: string;
  readonly record: UndoRecord;
}

export interface ProofRow extends Proof {
  readonly lease_id: string;
  readonly digest: string;
}

export interface SampleRow extends Sample {
  readonly batch_seq: number;
}

export interface ResourceRow {
  readonly lease_id: string;
  readonly resource: string;
  readonly released_at: string | null;
}

/** Every row that is stored about one run: what verdict and verification are computed from, wherever the rows are kept. */
export interface RunEvidence {
  readonly run: RunRow;
  readonly steps: readonly StepRow[];
  readonly leases: readonly LeaseRow[];
  readonly resources: readonly ResourceRow[];
  /** Resources that the run holds now. */
  readonly holds: readonly string[];
  readonly undo_records: readonly UndoRecordRow[];
  readonly proofs: readonly ProofRow[];
  readonly samples: readonly SampleRow[];
  /** The first judgement; later ones stand beside it. */
  readonly criteria: readonly CriterionResult[];
  readonly decisions: readonly Decision[];
  readonly events: readonly RunEvent[];
}

/** Reads everything about a run as it was at one moment. Throws `run.missing`. */
export async function loadEvidence(db: Database, runId: string): Promise<RunEvidence> {
  if (db.isTransaction) return read(db, runId);
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => read(trx, runId));
}

async function read(db: Database, runId: string): Promise<RunEvidence> {
  const run = await findRun(db, runId);
  if (run === null) throw runMissing(runId);
  return {
    run,
    steps: await db
      .selectFrom('steps')
      .select(['step_id', 'kind', 'seq', 'block', 'state', 'started_at', 'ended_at'])
      .where('run_id', '=', runId)
      .orderBy('seq')
      .orderBy('step_id')
      .execute(),
    leases: await leasesOfRun(db, runId),
    resources: await db
      .selectFrom('lease_resources')
      .select(['lease_id', 'resource', 'released_at'])
      .where('run_id', '=', runId)
      .orderBy('resource')
      .execute(),
    holds: (
      await db.selectFrom('resource_holds').select('resource').where('run_id', '=', runId).orderBy('resource').execute()
    ).map((row) => row.resource),
    undo_records: await db
      .selectFrom('undo_records')
      .select(['lease_id', 'record'])
      .where('run_id', '=', runId)
      .orderBy('lease_id')
      .execute(),
    proofs: await readProofs(db, runId),
    samples: await db
      .selectFrom('samples')
      .select(['source_id', 'slot', 'at', 'ok', 'status', 'latency_ms', 'error', 'batch_seq'])
      .where('run_id', '=', runId)
      .orderBy('source_id')
      .orderBy('slot')
      .execute(),
    criteria: await readCriteria(db, runId),
    decisions: await db
      .selectFrom('decisions')
      .select(['gate', 'step_id', 'fault', 'allowed', 'reason'])
      .where('run_id', '=', runId)
      .orderBy('position')
      .execute(),
    events: await readEvents(db, runId),
  };
}

async function readProofs(db: Database, runId: string): Promise<readonly ProofRow[]> {
  const rows = await db
    .selectFrom('proofs')
    .select(['lease_id', 'digest', 'stage', 'outcome', 'at', 'read'])
    .where('run_id', '=', runId)
    .orderBy('at')
    .orderBy('lease_id')
    .execute();
  return rows.map((row) => ({ ...row, stage: row.stage as Proof['stage'], outcome: row.outcome as Proof['outcome'] }));
}

async function readCriteria(db: Database, runId: string): Promise<readonly CriterionResult[]> {
  const rows = await db
    .selectFrom('criteria')
    .select(['type', 'source', 'passed', 'expected', 'measured'])
    .where('run_id', '=', runId)
    .where('version', '=', 1)
    .orderBy('position')
    .execute();
  return rows.map((row) => ({ ...row, type: row.type as CriterionResult['type'] }));
}

async function readEvents(db: Database, runId: string): Promise<readonly RunEvent[]> {
  const rows = await db.selectFrom('events').selectAll().where('run_id', '=', runId).orderBy('seq').execute();
  return rows.map((row) => ({ ...row, kind: row.kind as EventKind }));
}
