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
export function controlActivities() {
  const short = proxyActivities<Pick<ControlActivities, 'judgeBaseline' | 'check' | 'recordAbort'>>({
    ...base,
    startToCloseTimeout: '2m',
    scheduleToCloseTimeout: '5m',
  });
  const admission = proxyActivities<Pick<ControlActivities, 'admit'>>({
    ...base,
    startToCloseTimeout: '30s',
    scheduleToCloseTimeout: '60s',
  });
  // Recording the end is tried for as long as it takes.
  const closing = proxyActivities<Pick<ControlActivities, 'finish'>>({ ...base, startToCloseTimeout: '60s' });
  const probing = proxyActivities<Pick<ControlActivities, 'sample'>>({ ...base, startToCloseTimeout: '365d' });
  return { ...short, ...admission, ...closing, ...probing };
}

/** Activities on the queue of one engine. */
export function engineActivities(options: { readonly engineId: string; readonly recoveryGraceMs: number }) {
  const taskQueue = `mayhem-engine-${options.engineId}`;
  const starting = proxyActivities<Pick<EngineActivities, 'arm' | 'inject' | 'keep'>>({
    ...base,
    taskQueue,
    startToCloseTimeout: START_BUDGET,
    scheduleToCloseTimeout: START_BUDGET,
  });
  const undoing = (scheduleToCloseTimeout: number | string) =>
    proxyActivities<Pick<EngineActivities, 'undo'>>({
      ...base,
      taskQueue,
      startToCloseTimeout: '45s',
      scheduleToCloseTimeout: scheduleToCloseTimeout as number,
    }).undo;
  return { ...starting, undo: undoing(options.recoveryGraceMs), undoOnceMore: undoing(LAST_ATTEMPT_BUDGET) };
}
