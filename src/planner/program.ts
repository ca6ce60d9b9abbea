import { contracts } from '../mechanisms/contracts.js';
import type { OnFailure } from '../model/drill.js';
import type { LeaseSpec } from '../model/lease.js';
import type { Plan, PlanStep } from '../model/plan.js';

/** One step as the workflow runs it: no more of it than deciding what happens next needs. */
export type ProgramStep =
  | {
      readonly kind: 'fault';
      readonly step_id: string;
      readonly on_failure: OnFailure;
      readonly duration_ms: number;
      readonly recovery: boolean;
      readonly leases: readonly string[];
      /** Read once more after their end. */
      readonly rechecks: boolean;
    }
  | { readonly kind: 'noop'; readonly step_id: string }
  | { readonly kind: 'wait'; readonly step_id: string; readonly duration_ms: number }
  | { readonly kind: 'check'; readonly step_id: string; readonly on_failure: OnFailure };

export interface ProgramBlock {
  readonly mode: 'parallel' | 'sequential';
  /** Steps of one chain run one after another. */
  readonly chains: readonly (readonly ProgramStep[])[];
}

/** A bound plan as the drill workflow runs it. */
export interface Program {
  readonly run_id: string;
  readonly engine_id: string;
  readonly timeout_ms: number | null;
  /** Faults in force at once; 0: no limit. */
  readonly max_faults: number;
  readonly recovery_grace_ms: number;
  /** Longest window of the steady-state probes; null: there are none. */
  readonly window_ms: number | null;
  readonly ignore_baseline: boolean;
  readonly blocks: readonly ProgramBlock[];
}

export interface ProgramOptions {
  readonly runId: string;
  readonly plan: Plan;
  readonly leases: readonly LeaseSpec[];
  readonly engineId: string;
  readonly maxFaults: number;
  readonly recoveryGraceMs: number;
  readonly ignoreBaseline: boolean;
}

/** The program of a bound plan. Pure. */
export function programOf(options: ProgramOptions): Program {
  const { plan } = options;
  const windows = plan.steady_state.map((probe) => probe.window_ms);
  return {
    run_id: options.runId,
    engine_id: options.engineId,
    timeout_ms: plan.config.timeout_ms,
    max_faults: options.maxFaults,
    recovery_grace_ms: options.recoveryGraceMs,
    window_ms: windows.length === 0 ? null : Math.max(...windows),
    ignore_baseline: options.ignoreBaseline,
    blocks: plan.blocks.map(({ block, mode }) => ({
      mode,
      chains: chainsOf(plan.steps.filter((step) => step.block === block)).map((chain) =>
        chain.map((step) => stepOf(step, options.leases)),
      ),
    })),
  };
}

/** Fault steps of one group form a chain; every other step is a chain of its own. Order of first appearance. */
function chainsOf(steps: readonly PlanStep[]): readonly (readonly PlanStep[])[] {
  const chains = new Map<string, PlanStep[]>();
  for (const step of steps) {
    const key = step.kind === 'fault' ? step.group.id : step.step_id;
    chains.set(key, [...(chains.get(key) ?? []), step]);
  }
  return [...chains.values()];
}

function stepOf(step: PlanStep, leases: readonly LeaseSpec[]): ProgramStep {
  const { step_id } = step;
  switch (step.kind) {
    case 'fault':
      return {
        kind: 'fault',
        step_id,
        on_failure: step.on_failure,
        duration_ms: step.duration_ms,
        recovery: step.recovery,
        rechecks: contracts[step.mechanism].rechecks,
        leases: leases.filter((lease) => lease.step_id === step_id).map((lease) => lease.lease_id),
      };
    case 'noop':
      return { kind: 'noop', step_id };
    case 'wait':
      return { kind: 'wait', step_id, duration_ms: step.duration_ms };
    case 'check':
      return { kind: 'check', step_id, on_failure: step.on_failure };
  }
}
