import type { Database } from '../evidence/database.js';
import { leasesOfRun } from '../evidence/lease-store.js';
import { isClosed } from '../evidence/lease-row.js';
import type { RunRow } from '../evidence/run-row.js';
import { isErrorCode, MayhemError } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import { summary } from '../report/summary.js';
import type { CommandResult } from './command-spec.js';
import type { Output } from './output.js';
import { runExitCode } from './run-exit-code.js';

/** What `run` and `attach` answer for a run that has ended: the summary, its result as data, the exit code. */
export async function answerOfRun(options: {
  readonly db: Database;
  readonly run: RunRow;
  readonly output: Output;
  readonly requirePass: boolean;
}): Promise<CommandResult> {
  const { output, run } = options;
  const { result } = run;
  if (result === null) {
    throw new MayhemError('internal.failed', `run ${run.run_id} has ended as ${run.status} without a result`, {
      hint: `See \`mayhem inspect history ${run.run_id}\`.`,
    });
  }
  const leases = await leasesOfRun(options.db, run.run_id);
  const dirty = leases.filter((lease) => !isClosed(lease.state) && lease.state !== 'kept_faulted');
  const exitCode = runExitCode({ result, dirtyLeases: dirty.length, requirePass: options.requirePass });
  return {
    data: result,
    text: summary({
      result,
      decisionRefs: run.plan.decision_refs.length,
      dirtyLeases: dirty.map((lease) => lease.lease_id),
      palette: output.palette,
    }),
    exitCode,
    errors: exitCode === ExitCode.SUCCESS ? [] : problemsOf(run),
    evidenceRefs: [run.run_id],
  };
}

/** An abort is a problem of the run too, but no error: it was asked for. */
function problemsOf(run: RunRow): readonly Error[] {
  const problem = run.result?.problem ?? null;
  if (problem === null || !isErrorCode(problem.code)) return [];
  return [new MayhemError(problem.code, problem.message, { details: { run_id: run.run_id } })];
}
