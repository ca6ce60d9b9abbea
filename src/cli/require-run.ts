import type { Database } from '../evidence/database.js';
import type { RunRow } from '../evidence/run-row.js';
import { findRun } from '../evidence/run-store.js';
import { MayhemError } from '../model/error.js';

/** The run of this id. Throws run.missing. */
export async function requireRun(db: Database, runId: string | null): Promise<RunRow> {
  const run = runId === null ? null : await findRun(db, runId);
  if (run !== null) return run;
  throw new MayhemError('run.missing', `there is no run ${runId ?? ''}`, {
    hint: 'List the runs with `mayhem inspect runs`.',
  });
}
