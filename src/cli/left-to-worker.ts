import { ExitCode } from '../model/exit-code.js';
import type { CommandResult } from './command-spec.js';

/** The answer of a follower that was interrupted twice. */
export function leftToWorker(runId: string): CommandResult {
  return {
    data: { run_id: runId, status: 'aborting' },
    text: `run ${runId} is left to its worker, which undoes what is in force — follow it with \`mayhem attach ${runId}\``,
    exitCode: ExitCode.SUCCESS,
    evidenceRefs: [runId],
  };
}
