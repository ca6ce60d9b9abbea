import type { ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import { type AgentOptions, nowOf } from './agent-options.js';

/**
 * Takes a lease into the journal that the journal does not know: it was lost, or the agent died before it armed. As far as we know the fault
 * was injected; it is due at once.
 */
export async function adoptLease({ journal, clock }: AgentOptions, record: UndoRecord): Promise<void> {
  const leaseId = record.lease.lease_id;
  await journal.append({
    kind: 'armed',
    lease_id: leaseId,
    at: nowOf(clock),
    record,
    boot_id: clock.bootId(),
    inject_by_boot_ms: 0,
    deadline_boot_ms: 0,
  });
  await journal.append({ kind: 'injecting', lease_id: leaseId, at: nowOf(clock) });
}

/** What the undo of a lease comes to that was never armed here. Pure. */
export function neverArmedReport(options: {
  readonly leaseId: string;
  readonly releasedBy: ReleasedBy;
  readonly at: string;
}): UndoReport {
  return {
    lease_id: options.leaseId,
    outcome: 'restored',
    injection: 'not_started',
    released_by: options.releasedBy,
    injected_at: null,
    undone_at: options.at,
    undo_ms: 0,
    proofs: [],
    problem: null,
  };
}
