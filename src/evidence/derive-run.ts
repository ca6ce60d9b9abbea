import type { RunResult, RunStatus } from '../model/run.js';
import { deriveResult } from '../verdict/derive-result.js';
import type { Database } from './database.js';
import { loadEvidence } from './run-evidence.js';
import { verdictFactsOf } from './verdict-facts.js';

/**
 * The result of a run from what is stored about it now, for `finishRun`. `status` only where the caller knows better than the rows
 * how the run ended. Throws `run.missing`.
 */
export async function deriveRun(
  db: Database,
  options: {
    readonly runId: string;
    /** RFC 3339; the `at` given to `finishRun` must be the same. */
    readonly endedAt: string;
    readonly aborted: boolean;
    readonly problem: RunResult['problem'];
    readonly status?: RunStatus;
  },
): Promise<RunResult> {
  const evidence = await loadEvidence(db, options.runId);
  return deriveResult(
    verdictFactsOf({
      evidence,
      end: {
        ended_at: options.endedAt,
        aborted: options.aborted,
        problem: options.problem,
        ...(options.status === undefined ? {} : { status: options.status }),
      },
    }),
  );
}
