import type { CriterionResult } from './criterion.js';
import type { InjectionOutcome, UndoOutcome } from './lease.js';

export type RunStatus =
  | 'pending'
  | 'waiting_approval'
  | 'running'
  | 'paused'
  | 'aborting'
  | 'completed'
  | 'failed'
  | 'aborted'
  | 'expired';
export const ENDED_STATUSES = ['completed', 'failed', 'aborted', 'expired'] as const;

export type Verdict = 'pass' | 'fail' | 'undecided';

/** One reason of a verdict: a stable code and a sentence. */
export interface Reason {
  readonly code:
    | 'residue'
    | 'aborted'
    | 'bypassed'
    | 'ended_early'
    | 'not_observed'
    | 'inconclusive'
    | 'not_started'
    | 'baseline_broken'
    | 'criterion_failed'
    | 'observation_missing'
    | 'no_success_block';
  readonly message: string;
}

/** One fault on one target in the result of a run. */
export interface FaultResult {
  readonly step_id: string;
  readonly fault: string;
  readonly target: string;
  /** null: the run ended before a lease was made for the step. */
  readonly lease_id: string | null;
  readonly injection: InjectionOutcome;
  readonly undo: UndoOutcome;
  readonly released_by: string | null;
  readonly injected_at: string | null;
  readonly undone_at: string | null;
  readonly inject_ms: number | null;
  readonly undo_ms: number | null;
}

/** The whole result of a run, as stored and as `run --json` prints it. */
export interface RunResult {
  readonly run_id: string;
  readonly plan_digest: string;
  readonly status: RunStatus;
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
  readonly criteria: readonly CriterionResult[];
  readonly faults: readonly FaultResult[];
  readonly observations: { readonly collected: number; readonly planned: number };
  readonly wall_s: number;
  /** Why the run was refused or failed, when it was: a code of the error catalogue. */
  readonly problem: { readonly code: string; readonly message: string } | null;
}
