import type { MechanismId, ParamValues } from './fault.js';
import type { JsonObject } from './json.js';

export type LeaseState =
  | 'pending'
  | 'active'
  | 'releasing'
  | 'released'
  | 'expired'
  | 'orphaned'
  | 'dirty'
  | 'kept_faulted'
  | 'abandoned';

export type ReleasedBy = 'workflow' | 'agent' | 'janitor' | 'operator' | 'expiry';

/** States in which a lease still owns its resources. */
export const OPEN_LEASE_STATES = [
  'pending',
  'active',
  'releasing',
  'expired',
  'orphaned',
  'dirty',
  'kept_faulted',
] as const;

/** A container pinned by identity: the same id with another start time is another incarnation. */
export interface ContainerTarget {
  readonly kind: 'container';
  readonly engine_id: string;
  readonly container_id: string;
  /** As the engine reports it, RFC 3339 with nanoseconds; compared as text. */
  readonly started_at: string;
  readonly name: string;
  /** Inode of its network namespace, where the agent could read it: containers that share one have the same. */
  readonly netns: string | null;
  readonly service: string | null;
  readonly project: string | null;
}
export type Target = ContainerTarget;

/** One planned fault on one target: what the agent needs to make it happen. Fixed at admission. */
export interface LeaseSpec {
  readonly lease_id: string;
  readonly run_id: string;
  readonly step_id: string;
  readonly fault: string;
  readonly mechanism: MechanismId;
  readonly params: ParamValues;
  readonly target: Target;
  readonly duration_ms: number;
  /** Names of what this lease owns while it is open, e.g. `<engine>/<container>/state`. */
  readonly resources: readonly string[];
  /** false: kept in force on purpose after the hold. */
  readonly recovery: boolean;
  /** This long after its deadline the agent ends the fault by itself. */
  readonly grace_ms: number;
}

/**
 * All that undo needs, on any machine that reaches the engine; written before anything is injected.
 * `fingerprint` is the snapshot the end is compared with; `recipe` is the mechanism's own.
 */
export interface UndoRecord {
  readonly schema: 'mayhem/undo/v1';
  readonly lease: LeaseSpec;
  readonly installation_id: string;
  readonly prepared_at: string;
  readonly fingerprint: JsonObject;
  readonly recipe: JsonObject;
}

export type InjectionOutcome =
  | 'confirmed'
  | 'ended_early'
  | 'not_observed'
  | 'inconclusive'
  | 'bypassed'
  | 'not_started';
/** `expired`: the target-side expiry has ended it, and its traces say so. */
export type ProofOutcome = 'confirmed' | 'not_observed' | 'inconclusive' | 'expired';
export type UndoneOutcome = 'restored' | 'replaced' | 'gone' | 'residue' | 'unproven';
export type UndoOutcome = UndoneOutcome | 'kept_faulted' | 'none';

/** Undo outcomes that close a lease: nothing of the fault is left. */
export function isClean(outcome: UndoneOutcome): boolean {
  return outcome === 'restored' || outcome === 'replaced' || outcome === 'gone';
}

/** A read-back of the target, with what was read; times are RFC 3339 UTC with milliseconds. */
export interface Proof {
  readonly stage: 'injected' | 'before_undo' | 'undone';
  readonly outcome: ProofOutcome | UndoneOutcome;
  readonly at: string;
  readonly read: JsonObject;
}

/** What the proof right after an inject can say. */
export type StartOutcome = Exclude<ProofOutcome, 'expired'>;

/** The agent's answer to inject: proven at once, and the deadline that counts from its own acknowledgement. */
export interface InjectReport {
  readonly lease_id: string;
  readonly outcome: StartOutcome;
  readonly injected_at: string;
  readonly deadline: string;
  /** Time from the agent's receipt of the request to its acknowledgement. */
  readonly inject_ms: number;
  readonly proof: Proof;
}

/** The agent's tombstone of a lease: how and by whom the fault was ended, with the proofs. */
export interface UndoReport {
  readonly lease_id: string;
  readonly outcome: UndoneOutcome;
  /** What the proof at start and the one just before undo say together; `not_started` when inject never ran. */
  readonly injection: InjectionOutcome;
  readonly released_by: ReleasedBy;
  readonly injected_at: string | null;
  readonly undone_at: string;
  readonly undo_ms: number;
  readonly proofs: readonly Proof[];
  /** Why undo could not be done or proven, when it could not. */
  readonly problem: string | null;
}
