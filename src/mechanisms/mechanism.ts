import type { Engine } from '../engines/engine.js';
import type { JsonObject } from '../model/json.js';
import type { LeaseSpec, ProofOutcome, UndoneOutcome, UndoRecord } from '../model/lease.js';
import type { MechanismContract } from './contract.js';

/** What the agent lends a mechanism for one call. */
export interface ActContext {
  readonly engine: Engine;
  /** Folder of the agent's own where a mechanism may pin what it must find again (namespaces); one entry a lease. */
  readonly pins: string;
  readonly signal: AbortSignal;
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
  verifyInjected(context: ActContext, record: UndoRecord): Promise<Reading<ProofOutcome>>;
  /** Idempotent; from the record alone; a no-op when inject never landed. */
  undo(context: ActContext, record: UndoRecord): Promise<void>;
  verifyUndone(context: ActContext, record: UndoRecord): Promise<Reading<UndoneOutcome>>;
}
