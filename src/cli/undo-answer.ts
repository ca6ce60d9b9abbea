import { MayhemError } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import { isClean, type UndoReport } from '../model/lease.js';
import { alignedTable } from '../report/aligned-table.js';
import type { CommandResult } from './command-spec.js';

/** One lease that was to be ended, with what came of it. */
export interface Ended {
  readonly lease_id: string;
  readonly run_id: string | null;
  readonly fault: string | null;
  readonly target: string | null;
  readonly report: UndoReport;
}

/** What `recover` and `rescue` answer: each lease with the proof of its end; exit 7 when one has none. */
export function undoAnswer(options: {
  readonly ended: readonly Ended[];
  readonly nothing: string;
  /** Runs in progress that were told to abort before. */
  readonly aborted?: readonly string[];
}): CommandResult {
  const { aborted, ended } = options;
  const open = ended.filter(({ report }) => !isClean(report.outcome));
  const rows = ended.map(({ lease_id, run_id, fault, target, report }) => [
    lease_id,
    run_id,
    fault,
    target,
    report.outcome,
    report.released_by,
    report.problem,
  ]);
  return {
    data: {
      ...(aborted === undefined ? {} : { aborted_runs: aborted }),
      leases: ended.map(({ report, ...lease }) => ({
        ...lease,
        outcome: report.outcome,
        injection: report.injection,
        released_by: report.released_by,
        undone_at: report.undone_at,
        undo_ms: report.undo_ms,
        proofs: report.proofs,
        problem: report.problem,
      })),
    },
    text:
      ended.length === 0
        ? options.nothing
        : alignedTable({ head: ['LEASE', 'RUN', 'FAULT', 'TARGET', 'OUTCOME', 'ENDED BY', 'PROBLEM'], rows }),
    exitCode: open.length === 0 ? ExitCode.SUCCESS : ExitCode.RECOVERY_FAILURE,
    errors: open.map(
      ({ lease_id, report }) =>
        new MayhemError(
          'undo.unproven',
          `the end of lease ${lease_id} is not proven: ${report.problem ?? report.outcome}`,
          {
            hint: 'See what holds it back, then run this again; the agent goes on trying too.',
            details: { lease_id },
          },
        ),
    ),
  };
}
