import type { NetworkNamespace } from '../../engines/host/network-namespace.js';
import type { JsonObject } from '../../model/json.js';
import type { UndoRecord } from '../../model/lease.js';
import type { FirewallRule } from './rules.js';

export interface BackendOptions {
  readonly inside: NetworkNamespace;
  readonly signal: AbortSignal;
}

/** What was read of a lease's rules in a namespace. */
export interface FirewallReading {
  /**
   * live: whole and in force. expired: whole, and ended by the kernel at its time. absent: nothing of ours is there.
   * damaged: a part is gone, or was ended before its time. altered: there is more than we placed.
   */
  readonly state: 'live' | 'expired' | 'absent' | 'damaged' | 'altered';
  readonly read: JsonObject;
}

/** One firewall of the host: rules of one lease, placed and removed whole, ended by the kernel itself. */
export interface FirewallBackend {
  readonly name: 'nft' | 'iptables';
  /** Why it cannot be used there; null: it can, which the kernel has been asked. */
  unfit(options: BackendOptions): Promise<string | null>;
  /** What is there by name, whosever it is: for the fingerprint. */
  survey(options: BackendOptions): Promise<readonly string[]>;
  /** `lifetimeMs` null: the rules do not end by themselves. `repeated`: an earlier attempt may be there, and is replaced. */
  place(
    options: BackendOptions & {
      readonly record: UndoRecord;
      readonly rules: readonly FirewallRule[];
      readonly lifetimeMs: number | null;
      readonly repeated: boolean;
    },
  ): Promise<void>;
  read(
    options: BackendOptions & { readonly record: UndoRecord; readonly rules: readonly FirewallRule[] },
  ): Promise<FirewallReading>;
  /** Removes what is ours and nothing else. Idempotent. */
  remove(options: BackendOptions & { readonly record: UndoRecord }): Promise<void>;
}
