import type { ColumnType, Generated } from 'kysely';
import type { Binding } from '../model/binding.js';
import type { JsonObject } from '../model/json.js';
import type { LeaseSpec, UndoRecord } from '../model/lease.js';
import type { Plan } from '../model/plan.js';
import type { RunRequest } from '../model/run-request.js';
import type { RunResult } from '../model/run.js';

/** A json column: read as its value, written as text (the driver would take an array for a Postgres array). */
type JsonColumn<T> = ColumnType<T, string, string>;
/** A time: read as RFC 3339 UTC with milliseconds, written as the same. */
type Time = ColumnType<string, string, string>;
type TimeOrNull = ColumnType<string | null, string | null | undefined, string | null>;
type OrNull<T> = ColumnType<T | null, T | null | undefined, T | null>;

export interface PlansTable {
  digest: string;
  name: string;
  plan: JsonColumn<Plan>;
  created_at: Time;
}

export interface RunsTable {
  run_id: string;
  name: string;
  request_key: string;
  status: string;
  plan_digest: string;
  request: JsonColumn<RunRequest>;
  binding: ColumnType<Binding | null, string | null | undefined, string | null>;
  result: ColumnType<RunResult | null, string | null | undefined, string | null>;
  created_at: Time;
  started_at: TimeOrNull;
  ended_at: TimeOrNull;
  last_seq: Generated<number>;
  last_hash: string;
}

export interface StepsTable {
  run_id: string;
  step_id: string;
  kind: string;
  seq: number;
  block: number;
  state: string;
  started_at: TimeOrNull;
  ended_at: TimeOrNull;
}

export interface LeasesTable {
  lease_id: string;
  run_id: string;
  step_id: string;
  fault: string;
  target_name: string;
  spec: JsonColumn<LeaseSpec>;
  state: string;
  injection: OrNull<string>;
  outcome: OrNull<string>;
  released_by: OrNull<string>;
  deadline: TimeOrNull;
  injected_at: TimeOrNull;
  undone_at: TimeOrNull;
  inject_ms: OrNull<number>;
  undo_ms: OrNull<number>;
  problem: OrNull<string>;
  created_at: Time;
}

export interface ResourceHoldsTable {
  resource: string;
  run_id: string;
  held_at: Time;
}

export interface LeaseResourcesTable {
  lease_id: string;
  resource: string;
  run_id: string;
  released_at: TimeOrNull;
}

export interface UndoRecordsTable {
  lease_id: string;
  run_id: string;
  record: JsonColumn<UndoRecord>;
  recorded_at: Time;
}

export interface ProofsTable {
  lease_id: string;
  digest: string;
  run_id: string;
  stage: string;
  outcome: string;
  at: Time;
  read: JsonColumn<JsonObject>;
}

export interface SamplesTable {
  run_id: string;
  source_id: string;
  slot: number;
  at: Time;
  ok: boolean;
  status: OrNull<number>;
  latency_ms: OrNull<number>;
  error: OrNull<string>;
  batch_seq: number;
}

export interface CriteriaTable {
  run_id: string;
  version: number;
  position: number;
  type: string;
  source: string;
  passed: OrNull<boolean>;
  expected: string;
  measured: OrNull<string>;
}

export interface DecisionsTable {
  run_id: string;
  position: number;
  gate: string;
  step_id: OrNull<string>;
  fault: OrNull<string>;
  allowed: boolean;
  reason: string;
}

export interface EventsTable {
  run_id: string;
  seq: number;
  kind: string;
  at: Time;
  recorded_at: Time;
  payload: JsonColumn<JsonObject>;
  prev_hash: string;
  hash: string;
}

export interface RequestsTable {
  request_id: Generated<string>;
  kind: string;
  run_id: string;
  actor: string;
  reason: string;
  created_at: Time;
  forwarded_at: TimeOrNull;
}

export interface StopSwitchTable {
  stop_id: Generated<string>;
  actor: string;
  reason: string;
  set_at: Time;
  lifted_by: OrNull<string>;
  lifted_at: TimeOrNull;
}

export interface WorkersTable {
  worker_id: string;
  host: string;
  pid: number;
  version: string;
  queues: JsonColumn<readonly string[]>;
  started_at: Time;
  beat_at: Time;
}

export interface InstallationTable {
  one: Generated<boolean>;
  installation_id: string;
  created_at: Time;
}

/** The tables of `migrations/`, for kysely. */
export interface Schema {
  plans: PlansTable;
  runs: RunsTable;
  steps: StepsTable;
  leases: LeasesTable;
  resource_holds: ResourceHoldsTable;
  lease_resources: LeaseResourcesTable;
  undo_records: UndoRecordsTable;
  proofs: ProofsTable;
  samples: SamplesTable;
  criteria: CriteriaTable;
  decisions: DecisionsTable;
  events: EventsTable;
  requests: RequestsTable;
  stop_switch: StopSwitchTable;
  workers: WorkersTable;
  installation: InstallationTable;
}
