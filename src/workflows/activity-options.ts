import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { ControlActivities, EngineActivities } from '../activities/drill-activities.js';

/**
 * All options of all activities. WAIT_CANCELLATION_COMPLETED everywhere: with the SDK's default a cancelled inject may land after
 * its own undo.
 */
const base = {
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  heartbeatTimeout: '3s',
  retry: { initialInterval: '100ms', backoffCoefficient: 2, maximumInterval: '2s' },
} as const satisfies ActivityOptions;

/** Time for arming and for injecting, retries included: past it the agent refuses the lease anyway. */
const START_BUDGET = '30s';
/** One last attempt after everything was down for longer than the grace: the agent may have ended the fault long ago. */
const LAST_ATTEMPT_BUDGET = '30s';

/** Activities on the workflow's own queue. */
export function controlActivities(): ControlActivities {
  const of = (options: ActivityOptions) => proxyActivities<ControlActivities>({ ...base, ...options });
  const short = of({ startToCloseTimeout: '2m', scheduleToCloseTimeout: '5m' });
  return {
    admit: of({ startToCloseTimeout: '30s', scheduleToCloseTimeout: '60s' }).admit,
    // Taken over soon after its worker died: nothing is observed until then, and two samplers at once do no harm.
    sample: of({ startToCloseTimeout: '365d', heartbeatTimeout: '2s' }).sample,
    judgeBaseline: short.judgeBaseline,
    check: short.check,
    recordAbort: short.recordAbort,
    // Recording the end is tried for as long as it takes.
    finish: of({ startToCloseTimeout: '60s' }).finish,
  };
}

/** As EngineActivities; `undoOnceMore` is the last attempt after the recovery grace. */
export interface EngineCalls extends EngineActivities {
  readonly undoOnceMore: EngineActivities['undo'];
}

/** Activities on the queue of one engine. */
export function engineActivities(options: {
  readonly engineId: string;
  readonly recoveryGraceMs: number;
}): EngineCalls {
  const taskQueue = `mayhem-engine-${options.engineId}`;
  const of = (other: ActivityOptions) => proxyActivities<EngineActivities>({ ...base, taskQueue, ...other });
  const start = of({ startToCloseTimeout: START_BUDGET, scheduleToCloseTimeout: START_BUDGET });
  return {
    start: start.start,
    keep: start.keep,
    recheck: start.recheck,
    undo: of({ startToCloseTimeout: '45s', scheduleToCloseTimeout: options.recoveryGraceMs }).undo,
    undoOnceMore: of({ startToCloseTimeout: '45s', scheduleToCloseTimeout: LAST_ATTEMPT_BUDGET }).undo,
  };
}
