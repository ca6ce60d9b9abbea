import type { Engine } from '../engines/engine.js';
import type { Clock } from '../model/clock.js';
import type { UndoRecord } from '../model/lease.js';
import { allClaims, type Claim } from './claims.js';
import type { Journal } from './journal.js';

const LIST_TIMEOUT_MS = 15_000;
/** Beyond deadline and grace of another installation's lease: time for its own agent. */
const FOREIGN_MARGIN_MS = 10_000;

export interface SweepMarksOptions {
  readonly engine: Engine;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly installationId: string;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
  /** Claimed by this very process and about to be armed. */
  readonly isPrepared: (leaseId: string) => boolean;
  readonly undo: (record: UndoRecord) => Promise<unknown>;
  readonly endClaims: (record: UndoRecord) => Promise<void>;
  readonly acknowledge: (leaseId: string) => Promise<void>;
}

/**
 * Looks through the marks on the engine: ours that no open lease explains are ended from the record they carry, at once; those of
 * another installation only after their deadline, when nobody else did. What somebody keeps in force on purpose stays.
 */
export async function sweepMarks(options: SweepMarksOptions): Promise<void> {
  const claims = await allClaims({ engine: options.engine, signal: AbortSignal.timeout(LIST_TIMEOUT_MS) });
  const byTarget = new Map<string, Claim[]>();
  for (const claim of claims) {
    const target = claim.record?.lease.target.container_id ?? claim.mark;
    byTarget.set(target, [...(byTarget.get(target) ?? []), claim]);
  }
  // Targets side by side; on each, what was prepared last goes first.
  const sweeps = [...byTarget.values()].map(async (chain) => {
    const newestFirst = chain.toSorted((a, b) => preparedMs(b) - preparedMs(a));
    for (const claim of newestFirst) await sweepClaim(options, claim);
  });
  await Promise.all(sweeps);
}

function preparedMs(claim: Claim): number {
  return Date.parse(claim.record?.prepared_at ?? '') || 0;
}

async function sweepClaim(options: SweepMarksOptions, claim: Claim): Promise<void> {
  const { journal, log } = options;
  const lease = journal.lease(claim.lease_id);
  if (options.isPrepared(claim.lease_id) || (lease && lease.state !== 'closed')) return;
  if (!claim.record) {
    log('mark.unreadable', { mark: claim.mark, lease_id: claim.lease_id });
  } else if (lease) {
    await options.endClaims(claim.record);
  } else if (claim.installation_id === options.installationId) {
    await options.undo(claim.record);
  } else if (isOverdue(options.clock, claim.record, claim.deadline)) {
    log('mark.foreign', { lease_id: claim.lease_id, installation_id: claim.installation_id });
    await options.undo(claim.record);
    // There is no row for it in our Postgres.
    await options.acknowledge(claim.lease_id);
  }
}

function isOverdue(clock: Clock, record: UndoRecord, deadline: string): boolean {
  const { grace_ms: graceMs, recovery } = record.lease;
  return recovery && clock.wallMs() > Date.parse(deadline) + graceMs + FOREIGN_MARGIN_MS;
}
