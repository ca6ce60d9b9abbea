import {
  CancellationScope,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  log,
  setHandler,
  sleep,
} from '@temporalio/workflow';
import type { ControlActivities } from '../activities/drill-activities.js';
import {
  ABORT_SIGNAL,
  type AbortRequest,
  type DrillInput,
  type DrillState,
  STATE_QUERY,
} from '../model/run-control.js';
import { controlActivities, engineActivities } from './activity-options.js';
import { DrillRun } from './drill-run.js';
import { failureText } from './failure-text.js';
import { recheckFaults, runBlocks } from './run-blocks.js';

export const abortSignal = defineSignal<[AbortRequest]>(ABORT_SIGNAL);
export const stateQuery = defineQuery<DrillState>(STATE_QUERY);

/**
 * One run of a drill, from admission to verdict. Cancelling the workflow is an abort like any other: all of it runs where
 * cancelling cannot reach, and every fault is undone before it ends.
 */
export async function drill(input: DrillInput): Promise<void> {
  const run = new DrillRun(input.run_id);
  const control = controlActivities();
  setHandler(stateQuery, () => run.state);
  setHandler(abortSignal, ({ actor, reason }) => run.halt({ kind: 'aborted', actor, reason }));
  void CancellationScope.current().cancelRequested.catch(() =>
    run.halt({ kind: 'aborted', actor: 'temporal', reason: 'the workflow was cancelled' }),
  );
  await CancellationScope.nonCancellable(async () => {
    let refused = false;
    try {
      refused = (await execute(run, control)) === 'refused';
    } catch (error) {
      // A mistake of ours must not leave the run open: it ends failed, and says why.
      log.error('drill.failed', { problem: failureText(error) });
      run.halt({ kind: 'failed', actor: 'mayhem', reason: failureText(error) });
    }
    run.tell({ kind: 'phase', phase: 'ended' });
    // A refusal has closed the run already.
    if (!refused) await control.finish({ run_id: run.runId, halt: run.state.halt, steps: run.state.steps });
  });
}

async function execute(run: DrillRun, control: ControlActivities): Promise<'refused' | 'ran'> {
  const admission = await control.admit({ run_id: run.runId });
  if (admission.kind === 'refused') return 'refused';
  const { program } = admission;
  const engine = engineActivities({ engineId: program.engine_id, recoveryGraceMs: program.recovery_grace_ms });
  const timeout = haltAfter(run, program.timeout_ms);
  const noted = noteHalt(run, control);
  const sampling = new CancellationScope({ cancellable: true });
  let during: Promise<void> = Promise.resolve();

  if (program.window_ms !== null) {
    run.tell({ kind: 'phase', phase: 'baseline' });
    await sampled(run, () => control.sample({ run_id: run.runId, for_ms: program.window_ms }));
    if (!run.halted && !program.ignore_baseline) {
      const { broken } = await control.judgeBaseline({ run_id: run.runId });
      if (broken.length > 0) {
        run.halt({
          kind: 'failed',
          actor: 'mayhem',
          reason: `steady state does not hold before any fault: ${broken.join(', ')}`,
        });
      }
    }
    if (!run.halted) {
      during = sampling.run(() => control.sample({ run_id: run.runId, for_ms: null })).catch(swallowCancellation);
    }
  }

  run.tell({ kind: 'phase', phase: 'running' });
  await runBlocks({ run, control, engine, program });
  const rechecked = recheckFaults({ run, control, engine, program });

  if (program.window_ms !== null) {
    run.tell({ kind: 'phase', phase: 'after' });
    const afterMs = run.halted ? 0 : program.window_ms;
    sampling.cancel();
    if (afterMs > 0) await sampled(run, () => control.sample({ run_id: run.runId, for_ms: afterMs }));
    await during;
  }
  await rechecked;
  timeout.cancel();
  noted.cancel();
  await noted.done;
  return 'ran';
}

/** A sampling that a halt cuts short. */
async function sampled(run: DrillRun, sample: () => Promise<void>): Promise<void> {
  await run.untilHalted(sample).catch((error: unknown) => {
    if (!run.halted) throw error;
  });
}

function swallowCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error;
}

function haltAfter(run: DrillRun, timeoutMs: number | null): CancellationScope {
  const scope = new CancellationScope({ cancellable: true });
  if (timeoutMs !== null) {
    void scope
      .run(() => sleep(timeoutMs))
      .then(() => run.halt({ kind: 'aborted', actor: 'mayhem', reason: `timeout of ${timeoutMs / 1000} s is over` }))
      .catch(swallowCancellation);
  }
  return scope;
}

/** Records a halt when it comes, beside the undos it causes. */
function noteHalt(run: DrillRun, control: ControlActivities): { cancel(): void; done: Promise<void> } {
  const scope = new CancellationScope({ cancellable: true });
  const done = scope
    .run(async () => {
      await condition(() => run.halted);
      const { halt } = run.state;
      if (halt) await CancellationScope.nonCancellable(() => control.recordAbort({ run_id: run.runId, halt }));
    })
    .catch(swallowCancellation);
  return { cancel: () => scope.cancel(), done };
}
