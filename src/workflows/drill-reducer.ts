import type { InjectionOutcome, UndoOutcome } from '../model/lease.js';
import type { DrillState, Halt, LeaseProgress, StepState } from '../model/run-control.js';

/** What happens to a drill while it runs. */
export type DrillEvent =
  | { readonly kind: 'phase'; readonly phase: DrillState['phase'] }
  | { readonly kind: 'halt'; readonly halt: Halt }
  | { readonly kind: 'step'; readonly stepId: string; readonly state: StepState; readonly problem?: string }
  | {
      readonly kind: 'lease';
      readonly leaseId: string;
      readonly stepId: string;
      readonly progress: LeaseProgress;
      readonly deadline?: string;
      readonly injection?: InjectionOutcome;
      readonly undo?: UndoOutcome;
    };

export function initialDrillState(runId: string): DrillState {
  return { run_id: runId, phase: 'admitting', halt: null, steps: {}, leases: {} };
}

/** The state after an event. Pure. A halt stays: the first reason is the run's. A dirty lease makes the run failed whatever else. */
export function reduceDrill(state: DrillState, event: DrillEvent): DrillState {
  switch (event.kind) {
    case 'phase':
      return { ...state, phase: event.phase };
    case 'halt':
      return state.halt ? state : { ...state, halt: event.halt };
    case 'step':
      return {
        ...state,
        steps: { ...state.steps, [event.stepId]: { state: event.state, problem: event.problem ?? null } },
      };
    case 'lease': {
      const before = state.leases[event.leaseId];
      return {
        ...state,
        leases: {
          ...state.leases,
          [event.leaseId]: {
            step_id: event.stepId,
            progress: event.progress,
            deadline: event.deadline ?? before?.deadline ?? null,
            injection: event.injection ?? before?.injection ?? null,
            undo: event.undo ?? before?.undo ?? null,
          },
        },
      };
    }
  }
}
