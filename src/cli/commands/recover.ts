import type { Database } from '../../evidence/database.js';
import { isClosed, type LeaseRow } from '../../evidence/lease-row.js';
import { findUndoRecord, leasesOfRun } from '../../evidence/lease-store.js';
import { MayhemError } from '../../model/error.js';
import { importTombstones } from '../../worker/import-tombstones.js';
import type { CommandResult } from '../command-spec.js';
import { argumentList, type CommandContext, homeOf } from '../context.js';
import { findHands } from '../hands.js';
import { requireRun } from '../require-run.js';
import { type Ended, undoAnswer } from '../undo-answer.js';
import { withDatabase } from '../with-database.js';

/** Undoes and proves what ended runs left: dirty, orphaned and kept leases. A run that still goes on is `mayhem stop`'s. */
export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const leases: LeaseRow[] = [];
    for (const runId of argumentList(context, 0)) {
      const row = await requireRun(db, runId);
      if (row.ended_at === null) {
        throw new MayhemError('usage.invalid', `run ${row.run_id} is still going on`, {
          hint: `End it with \`mayhem stop ${row.run_id}\`: that undoes its faults.`,
        });
      }
      leases.push(...(await leasesOfRun(db, row.run_id)).filter((lease) => !isClosed(lease.state)));
    }
    const ended = leases.length === 0 ? [] : await undo(context, db, leases);
    return undoAnswer({ ended, nothing: 'nothing is left to undo: every lease is closed' });
  });
}

async function undo(context: CommandContext, db: Database, leases: readonly LeaseRow[]): Promise<readonly Ended[]> {
  const all = await findHands({ home: homeOf(context), dockerHost: context.env.DOCKER_HOST ?? null });
  try {
    const ended: Ended[] = [];
    // Newest first: the later of two faults on one target goes first.
    for (const lease of leases.toReversed()) {
      const hands = all.find(({ engineId }) => engineId === lease.spec.target.engine_id);
      if (!hands) {
        throw new MayhemError('agent.unreachable', `no agent for engine ${lease.spec.target.engine_id} answers`, {
          hint: 'Run this where that engine is, or set DOCKER_HOST.',
        });
      }
      const record = await findUndoRecord(db, lease.lease_id);
      const report = await hands.undo(lease.lease_id, { releasedBy: 'operator', record });
      const { lease_id, run_id, fault, target_name: target } = lease;
      ended.push({ lease_id, run_id, fault, target, report });
    }
    for (const hands of all) await importTombstones({ db, agent: hands });
    return ended;
  } finally {
    for (const hands of all) await hands.close();
  }
}
