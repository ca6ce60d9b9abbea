import type { Binding } from '../model/binding.js';
import type { Plan } from '../model/plan.js';
import type { RunRequest } from '../model/run-request.js';
import type { RunResult, RunStatus } from '../model/run.js';

/** A run as stored, with its plan. Times are RFC 3339 UTC with milliseconds. */
export interface RunRow {
  readonly run_id: string;
  readonly name: string;
  readonly request_key: string;
  readonly status: RunStatus;
  readonly plan_digest: string;
  readonly plan: Plan;
  readonly request: RunRequest;
  readonly binding: Binding | null;
  readonly result: RunResult | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly last_seq: number;
  readonly last_hash: string;
}

/** A run as lists show it. */
export interface RunSummary {
  readonly run_id: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly verdict: RunResult['verdict'] | null;
  readonly plan_digest: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}
