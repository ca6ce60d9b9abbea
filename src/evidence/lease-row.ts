import type { InjectionOutcome, LeaseSpec, LeaseState, ReleasedBy, UndoOutcome } from '../model/lease.js';

/** A lease as stored. Times are RFC 3339 UTC with milliseconds. */
export interface LeaseRow {
  readonly lease_id: string;
  readonly run_id: string;
  readonly step_id: string;
  readonly fault: string;
  readonly target_name: string;
  readonly spec: LeaseSpec;
  readonly state: LeaseState;
  readonly deadline: string | null;
  readonly injected_at: string | null;
  readonly undone_at: string | null;
  readonly inject_ms: number | null;
  readonly undo_ms: number | null;
  readonly injection: InjectionOutcome | null;
  readonly outcome: UndoOutcome | null;
  readonly released_by: ReleasedBy | null;
  readonly problem: string | null;
  readonly created_at: string;
}

/** States that no undo report changes any more. */
export const CLOSED_LEASE_STATES = ['released', 'abandoned'] as const satisfies readonly LeaseState[];

export function isClosed(state: LeaseState): boolean {
  return CLOSED_LEASE_STATES.some((closed) => closed === state);
}
