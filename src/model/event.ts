import type { JsonObject } from './json.js';

export type EventKind =
  | 'run.created'
  | 'run.started'
  | 'run.completed'
  | 'run.failed'
  | 'run.abort_requested'
  | 'run.aborted'
  | 'step.started'
  | 'step.finished'
  | 'step.skipped'
  | 'fault.armed'
  | 'fault.injected'
  | 'fault.observed'
  | 'fault.recovered'
  | 'fault.failed'
  | 'check.evaluated'
  | 'criteria.evaluated'
  | 'lease.state_changed'
  | 'drift.reported'
  | 'safety.refused'
  | 'safety.decided'
  | 'samples.recorded'
  | 'baseline.evaluated'
  | 'run.problem'
  | 'agent.undone';

/** One fact of a run's append-only history. `at` is when it happened, `recorded_at` when it was written. */
export interface RunEvent {
  readonly run_id: string;
  readonly seq: number;
  readonly kind: EventKind;
  readonly at: string;
  readonly recorded_at: string;
  readonly payload: JsonObject;
  readonly prev_hash: string;
  readonly hash: string;
}
