import type { Database } from '../evidence/database.js';
import { deriveRun } from '../evidence/derive-run.js';
import { finishRun } from '../evidence/end-run.js';
import { appendEvents, type NewEvent } from '../evidence/event-store.js';
import { findRun } from '../evidence/run-store.js';
import { MayhemError } from '../model/error.js';
import type { RunEnd } from './drill-activities.js';

/** Records how each step went, derives the result from what is stored, and closes the run with it. Harmless when it is closed already. */
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
  const { halt } = end;
  const failedStep = Object.entries(end.steps).find(([, step]) => step.state === 'failed');
  const problem = halt
    ? { code: halt.kind, message: halt.reason }
    : failedStep
      ? { code: 'failed', message: `${failedStep[0]}: ${failedStep[1].problem}` }
      : null;
  const result = await deriveRun(db, {
    runId: end.run_id,
    endedAt: at,
    aborted: halt?.kind === 'aborted',
    problem,
  });
  await finishRun(db, { runId: end.run_id, result, at });
}
