import { setTimeout as sleep } from 'node:timers/promises';
import { boundary } from '../host/boundary.js';
import type { ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import { isClean } from '../model/lease.js';
import { type AgentOptions, contextFor, nowOf } from './agent-options.js';
import type { JournaledLease } from './journal-entry.js';
import { undoLease } from './undo-lease.js';

/** A lease of the journal with its undo record. */
export type RecordedLease = JournaledLease & { readonly record: UndoRecord };

/** How far a lease came, for its undo. An act that nothing says was done may land yet, as an inject may. */
function reachedBy(lease: JournaledLease): 'armed' | 'injecting' | 'injected' {
  if (lease.state === 'armed') return 'armed';
  return lease.inject_report && !lease.drive?.under_way ? 'injected' : 'injecting';
}

/** Undoes an open lease and writes what came of it: the tombstone, or that it is to be tried again. */
export async function endLease(
  options: AgentOptions,
  { lease, releasedBy }: { readonly lease: RecordedLease; readonly releasedBy: ReleasedBy },
): Promise<UndoReport> {
  const { journal, clock } = options;
  const leaseId = lease.lease_id;
  await boundary('agent.before-undo');
  const report = await undoLease({
    context: contextFor(options, { lease }),
    mechanisms: options.mechanisms,
    clock,
    record: lease.record,
    reached: reachedBy(lease),
    injectReport: lease.inject_report,
    earlier: lease.undo_report,
    releasedBy,
    settle: sleep,
  });
  await boundary('agent.before-tombstone');
  if (!isClean(report.outcome)) {
    await journal.append({ kind: 'undo_failed', lease_id: leaseId, at: nowOf(clock), report });
    options.log('undo.failed', { lease_id: leaseId, outcome: report.outcome, problem: report.problem });
    return report;
  }
  await repin(options, lease, report);
  await journal.append({ kind: 'undone', lease_id: leaseId, at: nowOf(clock), report });
  await boundary('agent.after-tombstone');
  options.log('lease.undone', { lease_id: leaseId, outcome: report.outcome, released_by: releasedBy });
  return report;
}

/** Looks once more whether a closed lease is over, and undoes it again when it is not; opens it again when that fails. */
export async function recheckLease(
  options: AgentOptions,
  { lease, ended }: { readonly lease: RecordedLease; readonly ended: UndoReport },
): Promise<UndoReport> {
  const report = await undoLease({
    context: contextFor(options, { lease }),
    mechanisms: options.mechanisms,
    clock: options.clock,
    record: lease.record,
    reached: 'injected',
    injectReport: lease.inject_report,
    earlier: ended,
    releasedBy: ended.released_by,
    settle: sleep,
  });
  if (!isClean(report.outcome)) {
    const at = nowOf(options.clock);
    await options.journal.append({ kind: 'reopened', lease_id: lease.lease_id, at, report });
  }
  return report;
}

/** Remembers which incarnation of the target the fault brought up. Not knowing it keeps nothing from ending: what follows is refused as drift. */
async function repin(options: AgentOptions, lease: RecordedLease, report: UndoReport): Promise<void> {
  const mechanism = options.mechanisms[lease.record.lease.mechanism];
  if (report.outcome !== 'replaced' || mechanism.successor === undefined) return;
  try {
    const target = await mechanism.successor(contextFor(options, { lease }), lease.record);
    const at = nowOf(options.clock);
    if (target !== null) await options.journal.append({ kind: 'repinned', lease_id: lease.lease_id, at, target });
  } catch (error) {
    options.log('successor.unknown', { lease_id: lease.lease_id, problem: (error as Error).message });
  }
}
