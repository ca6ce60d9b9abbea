import type { DrillState, Halt } from '../model/run-control.js';
import type { InjectionOutcome, StartOutcome, UndoneOutcome } from '../model/lease.js';
import type { Program } from '../planner/program.js';

export interface LeaseRef {
  readonly run_id: string;
  readonly lease_id: string;
}

/** How a run came to its end, for its last activity. */
export interface RunEnd {
  readonly run_id: string;
  readonly halt: Halt | null;
  readonly steps: DrillState['steps'];
}

/** What a worker does for a drill on its own queue: stores, gates, probes. */
export interface ControlActivities {
  /** Gates, binding, and all resources of the run reserved in one transaction. A refusal ends the run. */
  admit(input: {
    readonly run_id: string;
  }): Promise<{ readonly kind: 'admitted'; readonly program: Program } | { readonly kind: 'refused' }>;
  /** Samples the steady-state probes for `for_ms` from when it was first scheduled; null: until cancelled. */
  sample(input: { readonly run_id: string; readonly for_ms: number | null }): Promise<void>;
  /** Whether the steady state held before any fault: the sources where it did not. */
  judgeBaseline(input: { readonly run_id: string }): Promise<{ readonly broken: readonly string[] }>;
  check(input: {
    readonly run_id: string;
    readonly step_id: string;
  }): Promise<{ readonly passed: boolean; readonly reason: string }>;
  recordAbort(input: { readonly run_id: string; readonly halt: Halt }): Promise<void>;
  /** Derives the verdict from what is recorded and closes the run. */
  finish(input: RunEnd): Promise<void>;
}

/** What a worker does for a drill on the queue of an engine: each a call to its agent and the record of it. */
export interface EngineActivities {
  /**
   * Prepare, store the undo record, arm, and only then inject and prove. One activity, since a workflow that asked for it undoes
   * it in any case: the way through the server is what a fault's start costs most.
   */
  start(input: LeaseRef): Promise<{ readonly outcome: StartOutcome; readonly deadline: string }>;
  /** Undo with its proofs. Fails (to be tried again) while it is not proven. */
  undo(input: LeaseRef): Promise<{ readonly outcome: UndoneOutcome; readonly injection: InjectionOutcome }>;
  /** A second look, two seconds after the undo, at what processes hold. False: it was there again, and could not be ended. */
  recheck(input: LeaseRef): Promise<{ readonly clean: boolean }>;
  keep(input: LeaseRef): Promise<void>;
}
