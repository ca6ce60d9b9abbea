import type { Notes } from '../mechanisms/contract.js';
import type { ContainerTarget, InjectReport, UndoRecord, UndoReport } from '../model/lease.js';

/**
 * What the agent writes before and after each thing it does, one JSON line each. Times named `_boot_ms` are milliseconds
 * since boot (suspend included) under `boot_id`; a lease armed under another boot id is due at once.
 */
export type JournalEntry =
  | {
      readonly kind: 'armed';
      readonly lease_id: string;
      readonly at: string;
      readonly record: UndoRecord;
      readonly boot_id: string;
      /** Nothing is injected after this. */
      readonly inject_by_boot_ms: number;
      /** Upper bound of the deadline, until inject has been acknowledged. */
      readonly deadline_boot_ms: number;
    }
  | { readonly kind: 'injecting'; readonly lease_id: string; readonly at: string }
  /** The mechanism refused before it changed anything: there is nothing to undo. */
  | { readonly kind: 'refused'; readonly lease_id: string; readonly at: string; readonly problem: string }
  | {
      readonly kind: 'injected';
      readonly lease_id: string;
      readonly at: string;
      readonly report: InjectReport;
      readonly deadline_boot_ms: number;
    }
  /** An act of a fault that acts repeatedly begins. */
  | { readonly kind: 'driving'; readonly lease_id: string; readonly at: string }
  /** It is done; null: it was the last. */
  | {
      readonly kind: 'driven';
      readonly lease_id: string;
      readonly at: string;
      readonly notes: Notes;
      readonly next_boot_ms: number | null;
    }
  /** The fault itself replaced its target: what the run does to that container from now on is done to this incarnation. */
  | { readonly kind: 'repinned'; readonly lease_id: string; readonly at: string; readonly target: ContainerTarget }
  | { readonly kind: 'kept'; readonly lease_id: string; readonly at: string }
  | { readonly kind: 'undo_failed'; readonly lease_id: string; readonly at: string; readonly report: UndoReport }
  /** The tombstone: the fault is proven ended. */
  | { readonly kind: 'undone'; readonly lease_id: string; readonly at: string; readonly report: UndoReport }
  /** A second look found it in force again: it is to be ended once more. */
  | { readonly kind: 'reopened'; readonly lease_id: string; readonly at: string; readonly report: UndoReport }
  /** An undo came for a lease that was never armed here: whatever comes for it later is refused. */
  | { readonly kind: 'fenced'; readonly lease_id: string; readonly at: string }
  /** The tombstone is in Postgres. */
  | { readonly kind: 'acknowledged'; readonly lease_id: string; readonly at: string };

/** How far a fault that acts repeatedly has come. */
export interface JournaledDrive {
  readonly notes: Notes;
  /** When it acts next, in milliseconds since boot; null: never again. */
  readonly next_boot_ms: number | null;
  /** An act was begun and nothing says that it was done: it may land yet. */
  readonly under_way: boolean;
}

/** One lease as the journal tells it: the fold of its entries. */
export interface JournaledLease {
  readonly lease_id: string;
  readonly record: UndoRecord | null;
  readonly boot_id: string | null;
  readonly inject_by_boot_ms: number;
  readonly deadline_boot_ms: number;
  readonly state: 'armed' | 'injecting' | 'injected' | 'kept' | 'closed';
  readonly inject_report: InjectReport | null;
  /** null: it has not acted since its inject. */
  readonly drive: JournaledDrive | null;
  /** The incarnation of the target that the fault itself brought up; null: it is the one of the record. */
  readonly successor: ContainerTarget | null;
  /** The last attempt to undo it, clean or not; null: none, or it was fenced. */
  readonly undo_report: UndoReport | null;
  readonly acknowledged: boolean;
  /** When the last entry was written. */
  readonly at: string;
}

/** Folds one entry into a lease. Pure. */
export function applyEntry(lease: JournaledLease | undefined, entry: JournalEntry): JournaledLease {
  const base: JournaledLease = lease ?? {
    lease_id: entry.lease_id,
    record: null,
    boot_id: null,
    inject_by_boot_ms: 0,
    deadline_boot_ms: 0,
    state: 'closed',
    inject_report: null,
    drive: null,
    successor: null,
    undo_report: null,
    acknowledged: false,
    at: entry.at,
  };
  const next = { ...base, at: entry.at };
  switch (entry.kind) {
    case 'armed':
      return {
        ...next,
        state: 'armed',
        record: entry.record,
        boot_id: entry.boot_id,
        inject_by_boot_ms: entry.inject_by_boot_ms,
        deadline_boot_ms: entry.deadline_boot_ms,
      };
    case 'injecting':
      return { ...next, state: 'injecting' };
    case 'refused':
      return { ...next, state: 'armed' };
    case 'injected':
      return { ...next, state: 'injected', inject_report: entry.report, deadline_boot_ms: entry.deadline_boot_ms };
    case 'driving':
      return { ...next, drive: { notes: {}, next_boot_ms: null, ...next.drive, under_way: true } };
    case 'driven':
      return { ...next, drive: { notes: entry.notes, next_boot_ms: entry.next_boot_ms, under_way: false } };
    case 'repinned':
      return { ...next, successor: entry.target };
    case 'kept':
      return { ...next, state: 'kept' };
    case 'undo_failed':
      return { ...next, undo_report: entry.report };
    case 'undone':
      return { ...next, state: 'closed', undo_report: entry.report };
    case 'reopened':
      return { ...next, state: 'injecting', undo_report: entry.report, acknowledged: false };
    case 'fenced':
      return { ...next, state: 'closed' };
    case 'acknowledged':
      return { ...next, acknowledged: true };
  }
}
