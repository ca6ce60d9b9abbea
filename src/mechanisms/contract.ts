import type { MechanismId, ParamValues } from '../model/fault.js';
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
