import { isCancellation, sleep } from '@temporalio/workflow';
import type { ControlActivities } from '../activities/drill-activities.js';
import type { Program, ProgramBlock, ProgramStep } from '../planner/program.js';
import type { EngineCalls } from './activity-options.js';
import type { DrillRun } from './drill-run.js';
import { failureText } from './failure-text.js';
import { runFaultLease } from './fault-lease.js';
import { Semaphore } from './semaphore.js';

interface BlocksOptions {
  readonly run: DrillRun;
  readonly control: ControlActivities;
  readonly engine: EngineCalls;
  readonly program: Program;
}

type StepEnd = { readonly state: 'done' | 'skipped' } | { readonly state: 'failed'; readonly problem: string };

const DONE: StepEnd = { state: 'done' };

/** Runs the blocks of a program in order; returns when every step has ended and every fault is undone or dirty. Never throws. */
export async function runBlocks(options: BlocksOptions): Promise<void> {
  const semaphore = new Semaphore(options.program.max_faults);
  for (const block of options.program.blocks) {
    await runBlock(block, async (chain) => {
      for (const step of chain) await runStep({ ...options, semaphore, step });
    });
  }
}

async function runBlock(
  block: ProgramBlock,
  runChain: (chain: readonly ProgramStep[]) => Promise<void>,
): Promise<void> {
  if (block.mode === 'parallel') {
    await Promise.all(block.chains.map(runChain));
    return;
  }
  for (const chain of block.chains) await runChain(chain);
}

/** Looks once more at what processes held, beside the rest of the run; whatever is there again fails it. */
export async function recheckFaults(options: BlocksOptions): Promise<void> {
  const { run, engine, program } = options;
  const steps = program.blocks.flatMap((block) => block.chains.flat());
  const leases = steps.flatMap((step) => (step.kind === 'fault' && step.rechecks ? step.leases : []));
  const ended = leases.filter((leaseId) => {
    const lease = run.state.leases[leaseId];
    return lease?.progress === 'ended' && lease.injection !== 'not_started';
  });
  await Promise.all(
    ended.map(async (leaseId) => {
      const problem = await engine
        .recheck({ run_id: run.runId, lease_id: leaseId })
        .then(({ clean }) => (clean ? null : 'it was in force again two seconds after its undo'), failureText);
      if (problem !== null) run.halt({ kind: 'failed', actor: 'mayhem', reason: `${leaseId}: ${problem}` });
    }),
  );
}

interface StepOptions extends BlocksOptions {
  readonly semaphore: Semaphore;
  readonly step: ProgramStep;
}

/** Runs one step; a failure halts the run unless the step says `continue`. */
async function runStep(options: StepOptions): Promise<void> {
  const { run, step } = options;
  const stepId = step.step_id;
  if (run.halted) {
    run.tell({ kind: 'step', stepId, state: 'skipped', problem: 'the run was halted before it' });
    return;
  }
  run.tell({ kind: 'step', stepId, state: 'running' });
  const end = await stepEnd(options).catch(
    (error: unknown): StepEnd =>
      run.halted && isCancellation(error) ? { state: 'skipped' } : { state: 'failed', problem: failureText(error) },
  );
  run.tell({ kind: 'step', stepId, ...end });
  if (end.state !== 'failed') return;
  if (!('on_failure' in step) || step.on_failure === 'abort_and_recover') {
    run.halt({ kind: 'failed', actor: 'mayhem', reason: `${stepId}: ${end.problem}` });
  }
}

async function stepEnd(options: StepOptions): Promise<StepEnd> {
  const { run, control, step } = options;
  switch (step.kind) {
    case 'noop':
      return DONE;
    case 'wait':
      await run.untilHalted(() => sleep(step.duration_ms));
      return DONE;
    case 'check': {
      const check = () => control.check({ run_id: run.runId, step_id: step.step_id });
      const { passed, reason } = await run.untilHalted(check);
      return passed ? DONE : { state: 'failed', problem: reason };
    }
    case 'fault':
      return faultEnd(options, step);
  }
}

async function faultEnd(options: StepOptions, step: Extract<ProgramStep, { kind: 'fault' }>): Promise<StepEnd> {
  const { run, engine, semaphore } = options;
  if (!(await semaphore.acquire(() => run.halted))) return { state: 'skipped' };
  try {
    const { step_id: stepId, duration_ms: durationMs, recovery } = step;
    const problems = await Promise.all(
      step.leases.map(async (leaseId) => {
        const problem = await runFaultLease({ run, engine, leaseId, stepId, durationMs, recovery });
        // The other targets of a failing step are not held any longer.
        if (problem !== null && step.on_failure === 'abort_and_recover') {
          run.halt({ kind: 'failed', actor: 'mayhem', reason: `${stepId}: ${problem}` });
        }
        return problem;
      }),
    );
    const problem = problems.find((found) => found !== null) ?? null;
    return problem === null ? DONE : { state: 'failed', problem };
  } finally {
    semaphore.release();
  }
}
