import type { MechanismId, ParamValues } from '../model/fault.js';
import type { JsonObject } from '../model/json.js';
import type { ContainerTarget } from '../model/lease.js';

/** Something an engine, host or target must offer; the catalogue of what can be asked is this union. */
export type Capability = 'engine.pause' | 'host.network_namespace' | 'host.firewall' | 'host.cgroups' | 'host.stressor';

/**
 * What can be known of a mechanism without doing anything: seen by planner and gates.
 * `expiry` says what ends the fault when all our processes are gone: `agent` alone, or the `target` by itself.
 */
export interface MechanismContract {
  readonly id: MechanismId;
  readonly undo: string;
  readonly verify: string;
  readonly expiry: 'agent' | 'target';
  /** false: it cannot stay in force without a process of ours, so `recovery: false` undoes it all the same. */
  readonly keepable: boolean;
  /** Held by processes: what was ended is read once more two seconds later, in case something brought it back. */
  readonly rechecks: boolean;
  needs(params: ParamValues): readonly Capability[];
  /** Names of what a lease owns while open; two open leases never share one. */
  resources(options: { readonly target: ContainerTarget; readonly params: ParamValues }): readonly string[];
}

/**
 * What a fault that acts repeatedly has done so far: plain JSON, journaled after each act, so that an agent that was killed goes on
 * where it was. `{}` before the first act. Undo never needs them: they are lost when the journal is.
 */
export type Notes = JsonObject;

/** What one act of a fault that acts repeatedly came to. */
export interface Driven {
  readonly notes: Notes;
  /** Milliseconds until the next act, from when this one is journaled; null: there is none. */
  readonly nextInMs: number | null;
  /** The target's new incarnation, when the act (or the engine under it) replaced the one the lease was pinned to. */
  readonly repinned?: ContainerTarget;
}
