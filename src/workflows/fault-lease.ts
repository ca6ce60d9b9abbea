import { condition, isCancellation } from '@temporalio/workflow';
import type { EngineCalls } from './activity-options.js';
import type { DrillRun } from './drill-run.js';
import { failureText } from './failure-text.js';

export interface FaultLeaseOptions {
  readonly run: DrillRun;
  readonly engine: EngineCalls;
  readonly leaseId: string;
  readonly stepId: string;
  readonly durationMs: number;
  readonly recovery: boolean;
}

/**
 * One fault on one target: start (arm, inject, prove), hold until the deadline the agent named or until the run halts, undo. Whatever goes wrong
 * after its start was asked for, undo follows. Returns what went wrong, or null.
 */
export async function runFaultLease(options: FaultLeaseOptions): Promise<string | null> {
  const { run, engine, leaseId, stepId } = options;
  const ref = { run_id: run.runId, lease_id: leaseId };
  const tell = (event: Omit<Parameters<DrillRun['lease']>[0], 'leaseId' | 'stepId'>) =>
    run.lease({ leaseId, stepId, ...event });
  let problem: string | null = null;
  tell({ progress: 'starting' });
  try {
    const injected = await run.untilHalted(() => engine.start(ref));
    tell({ progress: 'holding', deadline: injected.deadline, injection: injected.outcome });
    if (injected.outcome === 'not_observed') {
      problem = 'the fault had no effect: its proof did not observe it';
    } else {
      // The clocks of agent and server may differ: never longer than the hold itself.
      const holdMs = Math.min(options.durationMs, Date.parse(injected.deadline) - Date.now());
      if (holdMs > 0) await condition(() => run.halted, holdMs);
      if (!options.recovery && !run.halted) {
        await engine.keep(ref);
        tell({ progress: 'ended', undo: 'kept_faulted' });
        return null;
      }
    }
  } catch (error) {
    if (!(run.halted && isCancellation(error))) problem = failureText(error);
  }
  tell({ progress: 'undoing' });
  try {
    const undone = await engine.undo(ref).catch(() => engine.undoOnceMore(ref));
    tell({ progress: 'ended', undo: undone.outcome, injection: undone.injection });
  } catch (error) {
    tell({ progress: 'dirty', undo: 'unproven' });
    problem = `its undo is not proven: ${failureText(error)}`;
  }
  return problem;
}
