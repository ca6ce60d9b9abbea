import type { Success } from './criterion.js';
import type { Place } from './error.js';
import type { ParamValues, Risk } from './fault.js';
import type { CheckProbe, SteadyStateProbe } from './probe.js';

export type OnFailure = 'abort_and_recover' | 'continue';

/** A fault as authored, with its place for later errors. Values are read, not yet checked against the catalog's entry. */
export interface DrillFault {
  readonly fault: string;
  readonly duration_ms: number;
  readonly params: ParamValues;
  readonly recovery: boolean | null;
  readonly on_failure: OnFailure | null;
  readonly peers: readonly string[];
  readonly place: Place;
}

export interface DrillContainer {
  readonly name: string;
  readonly faults: readonly DrillFault[];
  readonly place: Place;
}

export type DrillBlock =
  | { readonly kind: 'parallel' | 'sequential'; readonly names: readonly string[]; readonly place: Place }
  | { readonly kind: 'wait'; readonly duration_ms: number; readonly place: Place }
  | { readonly kind: 'check'; readonly checks: readonly CheckProbe[]; readonly place: Place };

/** A drill as its document says, defaults filled in, nothing resolved against a stack yet. */
export interface Drill {
  readonly name: string;
  readonly hypothesis: string | null;
  readonly config: {
    readonly risk_ceiling: Risk;
    /** 0: no limit. */
    readonly max_faults: number;
    /** null: none. */
    readonly timeout_ms: number | null;
    readonly recovery: boolean;
    readonly on_failure: OnFailure;
  };
  readonly containers: readonly DrillContainer[];
  readonly execution: readonly DrillBlock[];
  readonly steady_state: readonly SteadyStateProbe[];
  readonly success: Success | null;
  readonly file: string;
}
