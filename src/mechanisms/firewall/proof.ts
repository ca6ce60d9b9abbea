import type { ContainerState } from '../../engines/engine.js';
import type { JsonObject } from '../../model/json.js';
import type { LeaseSpec, ProofOutcome, UndoneOutcome } from '../../model/lease.js';
import type { Reading } from '../mechanism.js';
import type { FirewallReading } from './backend.js';

export interface InjectedFacts {
  readonly lease: LeaseSpec;
  /** Inode of the namespace that the rules were placed in. */
  readonly inode: string;
  /** The target as its engine reports it; null: there is no such container any more. */
  readonly state: ContainerState | null;
  /** null: the namespace is gone. */
  readonly firewall: FirewallReading | null;
}

/** What was read says of the fault: in force or not. Pure. */
export function proveInjected(facts: InjectedFacts): Reading<ProofOutcome> {
  const { lease, inode, state, firewall } = facts;
  const read: JsonObject = {
    ...readingOf(state),
    pinned_netns: inode,
    rules: firewall?.state ?? 'namespace gone',
    ...firewall?.read,
  };
  // Rules that are in force in a namespace which the target has left do nothing to it.
  if (state === null || !isSame(state, lease) || !state.running || state.netns !== inode || firewall === null) {
    return { outcome: 'not_observed', read };
  }
  const outcomes = {
    live: 'confirmed',
    expired: 'expired',
    absent: 'not_observed',
    damaged: 'not_observed',
    altered: 'inconclusive',
  } as const;
  return { outcome: outcomes[firewall.state], read };
}

export interface UndoneFacts {
  readonly lease: LeaseSpec;
  readonly inode: string;
  readonly state: ContainerState | null;
  readonly isPinLeft: boolean;
  /** Rules of the lease in the namespace they were placed in; null: it is gone. */
  readonly inPinned: FirewallReading['state'] | null;
  /** The same where the target is now, when it is elsewhere; null: it is not. */
  readonly inPresent: FirewallReading['state'] | null;
}

/** What was read says of the undo. Pure. */
export function proveUndone(facts: UndoneFacts): Reading<UndoneOutcome> {
  const { lease, state, inPinned, inPresent } = facts;
  const read: JsonObject = {
    ...readingOf(state),
    pinned_netns: facts.inode,
    pin: facts.isPinLeft,
    rules_in_pinned: inPinned ?? 'namespace gone',
    ...(inPresent === null ? {} : { rules_in_present: inPresent }),
  };
  const isClean = !facts.isPinLeft && [inPinned, inPresent].every((found) => found === null || found === 'absent');
  return { outcome: isClean ? cleanOutcome(state, lease) : 'residue', read };
}

/** True for the very incarnation that was pinned. Pure. */
export function isSame(state: ContainerState, lease: LeaseSpec): boolean {
  return state.id === lease.target.container_id && state.startedAt === lease.target.started_at;
}

function cleanOutcome(state: ContainerState | null, lease: LeaseSpec): UndoneOutcome {
  if (state === null) return 'gone';
  if (!isSame(state, lease)) return 'replaced';
  return state.running ? 'restored' : 'gone';
}

function readingOf(state: ContainerState | null): JsonObject {
  if (state === null) return { container: null };
  return { container: state.id, started_at: state.startedAt, running: state.running, netns: state.netns };
}
