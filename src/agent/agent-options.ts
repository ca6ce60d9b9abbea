import type { Engine } from '../engines/engine.js';
import type { ActContext } from '../mechanisms/mechanism.js';
import type { Mechanisms } from '../mechanisms/mechanisms.js';
import type { Clock } from '../model/clock.js';
import type { Journal } from './journal.js';
import type { JournaledLease } from './journal-entry.js';

/** Longest time of what is done for one lease at once: one verb, with all its calls to the engine. */
export const ENGINE_DEADLINE_MS = 15_000;

export interface AgentOptions {
  readonly engine: Engine;
  readonly engineId: string;
  readonly installationId: string;
  readonly mechanisms: Mechanisms;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Folder for what mechanisms pin on this host. */
  readonly pins: string;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Waits between two acts of a driven fault; rejects or resolves early when the signal fires. Absent: real time. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** What a mechanism is lent for one verb, with what the journal knows of the lease. */
export function contextFor(
  options: AgentOptions,
  { lease, abort }: { readonly lease?: JournaledLease; readonly abort?: AbortSignal } = {},
): ActContext {
  const deadline = AbortSignal.timeout(ENGINE_DEADLINE_MS);
  return {
    engine: options.engine,
    pins: options.pins,
    signal: abort === undefined ? deadline : AbortSignal.any([abort, deadline]),
    ...(lease?.drive ? { notes: lease.drive.notes } : {}),
    ...(lease?.successor ? { successor: lease.successor } : {}),
  };
}

/** Now, as the journal writes it. */
export function nowOf(clock: Clock): string {
  return new Date(clock.wallMs()).toISOString();
}
