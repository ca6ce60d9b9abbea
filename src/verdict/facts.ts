import type { InjectionOutcome, ReleasedBy, UndoOutcome } from '../model/lease.js';
import type { Sample } from '../model/observation.js';
import type { Plan } from '../model/plan.js';
import type { RunStatus } from '../model/run.js';

/** One planned fault on one target, as its records say it went. */
export interface FaultFact {
  readonly step_id: string;
  readonly fault: string;
  /** The container's name; the service's when no target was bound. */
  readonly target: string;
  readonly lease_id: string | null;
  readonly injection: InjectionOutcome;
  readonly undo: UndoOutcome;
  readonly released_by: ReleasedBy | null;
  readonly injected_at: string | null;
  readonly undone_at: string | null;
  readonly inject_ms: number | null;
  readonly undo_ms: number | null;
}

/** One evaluation of a check. */
export interface CheckFact {
  readonly step_id: string;
  readonly check_id: string | null;
  readonly passed: boolean;
  readonly sample: Sample;
}

/** What was decided about the steady state before anything was injected. */
export interface BaselineFact {
  readonly passed: boolean;
  /** Ids of the steady_state entries that did not hold. */
  readonly broken: readonly string[];
}

export interface RunFacts {
  readonly run_id: string;
  readonly plan: Plan;
  readonly started_at: string;
  readonly ended_at: string;
  readonly aborted: boolean;
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** How the run ended, where the caller knows better than `statusOf`. */
  readonly status?: RunStatus;
}

/** All that a verdict is computed from. */
export interface VerdictFacts {
  readonly run: RunFacts;
  readonly faults: readonly FaultFact[];
  readonly samples: readonly Sample[];
  readonly checks: readonly CheckFact[];
  /** null: it was not evaluated by the run; then the samples before the first injection decide. */
  readonly baseline: BaselineFact | null;
}
