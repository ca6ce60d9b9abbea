import type { Database } from '../evidence/database.js';
import { concludeRun } from '../evidence/end-run.js';
import { appendEvents, type NewEvent } from '../evidence/event-store.js';
import { findRun } from '../evidence/run-store.js';
import { MayhemError } from '../model/error.js';
import type { RunResult } from '../model/run.js';
import type { RunEnd } from './drill-activities.js';

/** Records how each step went, then closes the run with the result that its rows give. Harmless when it is closed already. */
export async function closeRun(options: {
  readonly db: Database;
  readonly end: RunEnd;
  readonly at: string;
}): Promise<void> {
  const { db, end, at } = options;
  const run = await findRun(db, end.run_id);
  if (run === null) throw new MayhemError('run.missing', `there is no run ${end.run_id}`);
  if (run.ended_at !== null) return;
  const events = run.plan.steps.map((step): NewEvent => {
    const { state, problem } = end.steps[step.step_id] ?? { state: 'skipped', problem: null };
    const skipped = state === 'skipped' || state === 'waiting';
    return {
      kind: skipped ? 'step.skipped' : 'step.finished',
      at,
      payload: { step_id: step.step_id, ...(skipped ? {} : { failed: state === 'failed' }), problem },
    };
  });
  await appendEvents(db, { runId: end.run_id, events });
  await concludeRun(db, { runId: end.run_id, aborted: end.halt?.kind === 'aborted', problem: problemOf(end), at });
}

/** Why the run did not go through as planned: its halt, or the first step that failed and was told to continue. */
function problemOf({ halt, steps }: RunEnd): RunResult['problem'] {
  if (halt) return { code: halt.kind, message: halt.reason };
  const failed = Object.entries(steps).find(([, step]) => step.state === 'failed');
  return failed ? { code: 'failed', message: `${failed[0]}: ${failed[1].problem}` } : null;
}
