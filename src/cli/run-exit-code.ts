import { errorCatalogue, isErrorCode } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import type { RunResult } from '../model/run.js';

/** Gravest first: what was asked for can fail in several ways at once, and one number has to say it. */
const GRAVEST: readonly ExitCode[] = [
  ExitCode.RECOVERY_FAILURE,
  ExitCode.AGENT_ERROR,
  ExitCode.TOOLKIT_ERROR,
  ExitCode.SAFETY_REFUSAL,
  ExitCode.VALIDATION_ERROR,
  ExitCode.EXPERIMENT_FAILURE,
];

/**
 * The exit code of `run` and `attach` for a run that has ended: 7 when a fault's end is not proven, the code of the problem
 * that ended it, 6 for failed, aborted, verdict fail, and undecided but for want of a success block, else 0.
 */
export function runExitCode(options: {
  readonly result: RunResult;
  /** Leases of the run that are not closed, those kept in force on purpose left out. */
  readonly dirtyLeases: number;
  readonly requirePass: boolean;
}): ExitCode {
  const { result } = options;
  const found: ExitCode[] = [];
  const unproven = result.faults.some(({ undo }) => undo === 'residue' || undo === 'unproven');
  if (unproven || options.dirtyLeases > 0) found.push(ExitCode.RECOVERY_FAILURE);
  const { problem } = result;
  if (problem !== null && isErrorCode(problem.code)) found.push(errorCatalogue[problem.code]);
  if (!isSatisfied(result, options.requirePass)) found.push(ExitCode.EXPERIMENT_FAILURE);
  return GRAVEST.find((code) => found.includes(code)) ?? found[0] ?? ExitCode.SUCCESS;
}

function isSatisfied(result: RunResult, requirePass: boolean): boolean {
  if (result.status !== 'completed') return false;
  if (result.verdict !== 'undecided') return result.verdict === 'pass';
  const onlyUndeclared = result.reasons.length > 0 && result.reasons.every(({ code }) => code === 'no_success_block');
  return onlyUndeclared && !requirePass;
}
