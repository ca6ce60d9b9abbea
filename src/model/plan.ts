import type { Blueprint } from './blueprint.js';
import type { Success } from './criterion.js';
import type { Drill, OnFailure } from './drill.js';
import type { AllowedOutcome, MechanismId, ParamValues, Risk } from './fault.js';
import type { Policy } from './policy.js';
import type { CheckProbe, SteadyStateProbe } from './probe.js';
import type { Selection } from './selection.js';

export interface UndoContract {
  readonly mechanism: MechanismId;
  readonly undo: string;
  readonly verify: string;
  readonly outcomes: readonly AllowedOutcome[];
}

interface StepBase {
  readonly step_id: string;
  readonly seq: number;
  /** Index of the execution block this step belongs to; blocks run in order. */
  readonly block: number;
}

export interface FaultStep extends StepBase {
  readonly kind: 'fault';
  /** Steps of one group run one after another; groups of a parallel block run at once. */
  readonly group: { readonly id: string; readonly mode: 'sequential'; readonly path: string };
  readonly fault: string;
  readonly risk: Risk;
  readonly mechanism: MechanismId;
  readonly params: ParamValues;
  readonly mechanism_params: ParamValues;
  readonly duration_ms: number;
  readonly recovery: boolean;
  readonly on_failure: OnFailure;
  /** The service (or container) the fault is for, as the blueprint names it; without a selection all its live containers. */
  readonly target: {
    readonly service: string;
    readonly container_name: string | null;
    readonly selection?: Selection;
  };
  readonly undo: UndoContract;
}
export interface NoopStep extends StepBase {
  readonly kind: 'noop';
  readonly target: { readonly service: string; readonly container_name: string | null };
}
export interface WaitStep extends StepBase {
  readonly kind: 'wait';
  readonly duration_ms: number;
}
export interface CheckStep extends StepBase {
  readonly kind: 'check';
  readonly check: CheckProbe;
  readonly on_failure: OnFailure;
}
export type PlanStep = FaultStep | NoopStep | WaitStep | CheckStep;

export interface PlanBlock {
  readonly block: number;
  readonly mode: 'parallel' | 'sequential';
}

/** A drill compiled and frozen. `digest` is SHA-256 over the canonical form of all other members that decide what happens. */
export interface Plan {
  readonly schema: 'mayhem/plan/v1';
  readonly kind: 'drill';
  readonly name: string;
  readonly hypothesis: string | null;
  readonly digest: string;
  readonly seed: number | null;
  readonly config: Drill['config'];
  readonly blocks: readonly PlanBlock[];
  readonly steps: readonly PlanStep[];
  readonly steady_state: readonly SteadyStateProbe[];
  readonly success: Success | null;
  readonly blueprint: Blueprint;
  readonly policy: Policy;
  readonly decision_refs: readonly { readonly id: string; readonly date: string }[];
}
