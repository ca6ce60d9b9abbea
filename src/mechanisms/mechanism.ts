import type { Engine } from '../engines/engine.js';
import type { JsonObject } from '../model/json.js';
import type { ContainerTarget, LeaseSpec, ProofOutcome, UndoneOutcome, UndoRecord } from '../model/lease.js';
import type { Driven, MechanismContract, Notes } from './contract.js';

/** What the agent lends a mechanism for one call. */
export interface ActContext {
  readonly engine: Engine;
  /** Folder of the agent's own where a mechanism may pin what it must find again (namespaces); one entry a lease. */
  readonly pins: string;
  readonly signal: AbortSignal;
  /** What `drive` noted last; absent: it never ran, or the journal that held it is lost. */
  readonly notes?: Notes;
  /** The newest incarnation that `drive` reported; absent: the target is the one in the record, as far as is known. */
  readonly successor?: ContainerTarget;
}

export interface Reading<Outcome> {
  readonly outcome: Outcome;
  /** What was read from the target, for the record. */
  readonly read: JsonObject;
}

/** How a fault is done and undone. Called by the agent alone, one call a lease at a time. */
export interface Mechanism {
  readonly contract: MechanismContract;
  /**
   * The state this mechanism will touch, read only. Throws `target.drift` when the target is not the one that was pinned or
   * not fit, and `capability.unsupported` when undo could not be guaranteed there.
   */
  snapshot(context: ActContext, lease: LeaseSpec): Promise<JsonObject>;
  /** What undo will need besides lease and fingerprint: plain JSON, complete. */
  recipe(options: { readonly lease: LeaseSpec; readonly fingerprint: JsonObject }): JsonObject;
  /**
   * Idempotent by lease: `repeated` says that an earlier attempt may have landed. Never replaces what it does not own:
   * throws `target.drift` when the target is no longer as the record says.
   */
  inject(context: ActContext, record: UndoRecord, options: { readonly repeated: boolean }): Promise<void>;
  /**
   * The next act of a fault that acts more than once. The agent calls it between inject and undo, first right after inject, then
   * whenever the time it named is over, until the deadline; never beside another verb of the same lease. What it returns is in the journal before it
   * is called again. An agent that was killed in mid-act calls it with the notes of the act before: an act must tell from target and notes
   * whether it was done. One that throws is called again with the same notes.
   */
  drive?(context: ActContext, record: UndoRecord, notes: Notes): Promise<Driven>;
  verifyInjected(context: ActContext, record: UndoRecord): Promise<Reading<ProofOutcome>>;
  /** Idempotent; from the record alone; a no-op when inject never landed. */
  undo(context: ActContext, record: UndoRecord): Promise<void>;
  verifyUndone(context: ActContext, record: UndoRecord): Promise<Reading<UndoneOutcome>>;
  /**
   * The incarnation of the target that is there now, when this fault itself brought it up; asked for after a proven undo. null: nothing was
   * replaced, or by somebody else. Absent: the mechanism never replaces its target.
   */
  successor?(context: ActContext, record: UndoRecord): Promise<ContainerTarget | null>;
}
