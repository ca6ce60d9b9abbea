import type { InjectionOutcome, UndoOutcome } from './lease.js';

/** Names by which a running drill is spoken to through Temporal; the workflow's id is the run's. */
export const DRILL_WORKFLOW = 'drill';
export const ABORT_SIGNAL = 'abort';
export const STATE_QUERY = 'state';

export interface DrillInput {
  readonly run_id: string;
}

export interface AbortRequest {
  /** user@host, or the part of Mayhem that asked. */
  readonly actor: string;
  readonly reason: string;
}

/** Why a run stopped before its plan was through: by request (aborted) or by a failure of its own (failed). */
export interface Halt {
  readonly kind: 'aborted' | 'failed';
  readonly actor: string;
  readonly reason: string;
}

export type StepState = 'waiting' | 'running' | 'done' | 'failed' | 'skipped';
export type LeaseProgress = 'starting' | 'holding' | 'undoing' | 'ended' | 'dirty';

/** The live state of a drill, as its query answers. */
export interface DrillState {
  readonly run_id: string;
  readonly phase: 'admitting' | 'baseline' | 'running' | 'after' | 'ended';
  readonly halt: Halt | null;
  readonly steps: { readonly [stepId: string]: { readonly state: StepState; readonly problem: string | null } };
  readonly leases: {
    readonly [leaseId: string]: {
      readonly step_id: string;
      readonly progress: LeaseProgress;
      readonly deadline: string | null;
      readonly injection: InjectionOutcome | null;
      readonly undo: UndoOutcome | null;
    };
  };
}
