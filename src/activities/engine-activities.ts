import type { AgentClient } from '../agent/agent-client.js';
import type { Database } from '../evidence/database.js';
import {
  findLease,
  findUndoRecord,
  recordArmed,
  recordInjected,
  recordKept,
  recordRecheck,
  recordUndone,
} from '../evidence/lease-store.js';
import { refuseWhenAborting } from '../evidence/request-store.js';
import { boundary } from '../host/boundary.js';
import { MayhemError } from '../model/error.js';
import { isClean, type UndoRecord } from '../model/lease.js';
import type { EngineActivities, LeaseRef } from './drill-activities.js';

/** Activities for one engine: its agent does it, Postgres remembers it. Each may be run again at any point. */
export function engineActivities(options: { readonly db: Database; readonly agent: AgentClient }): EngineActivities {
  const { db, agent } = options;

  /** A retry arms with the record that was stored first: a second snapshot could take the fault for what was there before. */
  const undoRecordOf = async ({ run_id, lease_id }: LeaseRef): Promise<UndoRecord> => {
    const [stored, lease] = await Promise.all([
      findUndoRecord(db, lease_id),
      findLease(db, lease_id),
      // The signal may still be on its way, or wait for a server that was away: the row counts from the moment it was written.
      refuseWhenAborting(db, run_id),
    ]);
    if (stored !== null) return stored;
    if (lease === null) throw new MayhemError('lease.unknown', `there is no lease ${lease_id}`);
    return recordArmed(db, { record: await agent.prepare(lease.spec) });
  };

  return {
    async start(ref) {
      const { run_id, lease_id } = ref;
      await boundary('worker.before-arm');
      await agent.arm(await undoRecordOf(ref));
      await boundary('worker.before-inject');
      const report = await agent.inject(lease_id);
      await boundary('worker.after-inject');
      await recordInjected(db, { runId: run_id, report });
      return { outcome: report.outcome, deadline: report.deadline };
    },

    async undo({ run_id, lease_id }) {
      await boundary('worker.before-undo');
      const report = await agent.undo(lease_id, {
        releasedBy: 'workflow',
        record: await findUndoRecord(db, lease_id),
      });
      await boundary('worker.after-undo');
      await recordUndone(db, { runId: run_id, report });
      if (!isClean(report.outcome)) {
        throw new MayhemError(
          'undo.unproven',
          `the undo of ${lease_id} is not proven: ${report.problem ?? report.outcome}`,
          {
            hint: `mayhem recover ${run_id}`,
            details: { outcome: report.outcome },
          },
        );
      }
      await agent.acknowledge([lease_id]);
      return { outcome: report.outcome, injection: report.injection };
    },

    async recheck({ run_id, lease_id }) {
      const report = await agent.recheck(lease_id);
      const clean = isClean(report.outcome);
      await recordRecheck(db, { runId: run_id, report });
      return { clean };
    },

    async keep({ run_id, lease_id }) {
      await agent.keep(lease_id);
      await recordKept(db, { runId: run_id, leaseId: lease_id, at: new Date().toISOString() });
    },
  };
}
