import type { EventKind } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import type { InjectionOutcome, LeaseState, ReleasedBy, UndoOutcome } from '../model/lease.js';
import type { RunStatus } from '../model/run.js';

/** What a state table is computed from: an event's kind, time and payload. */
export interface Fact {
  readonly kind: EventKind;
  readonly at: string;
  readonly payload: JsonObject;
}

export interface RunState {
  readonly status: RunStatus;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export type StepProgress = 'planned' | 'running' | 'finished' | 'failed' | 'skipped';

export interface StepState {
  readonly state: StepProgress;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

export interface LeaseFacts {
  readonly state: LeaseState;
  readonly injection: InjectionOutcome | null;
  readonly outcome: UndoOutcome | null;
  readonly released_by: ReleasedBy | null;
  readonly deadline: string | null;
  readonly injected_at: string | null;
  readonly undone_at: string | null;
  readonly inject_ms: number | null;
  readonly undo_ms: number | null;
  readonly problem: string | null;
}

export const NEW_RUN: RunState = { status: 'pending', started_at: null, ended_at: null };
export const NEW_STEP: StepState = { state: 'planned', started_at: null, ended_at: null };
export const NEW_LEASE: LeaseFacts = {
  state: 'pending',
  injection: null,
  outcome: null,
  released_by: null,
  deadline: null,
  injected_at: null,
  undone_at: null,
  inject_ms: null,
  undo_ms: null,
  problem: null,
};

/** A run's state after one more event. Stores write what this says; verification says it again from the events alone. */
export function reduceRun(run: RunState, fact: Fact): RunState {
  switch (fact.kind) {
    case 'run.started':
      return {
        ...run,
        status: run.status === 'pending' ? 'running' : run.status,
        started_at: run.started_at ?? fact.at,
      };
    case 'run.abort_requested':
      return run.status === 'running' || run.status === 'paused' ? { ...run, status: 'aborting' } : run;
    case 'run.completed':
      return { ...run, status: 'completed', ended_at: fact.at };
    case 'run.failed':
      return { ...run, status: 'failed', ended_at: fact.at };
    case 'run.aborted':
      return { ...run, status: 'aborted', ended_at: fact.at };
    default:
      return run;
  }
}

/** A step's state after one more event that names it. `failed: true` in the payload of step.finished makes it failed. */
export function reduceStep(step: StepState, fact: Fact): StepState {
  switch (fact.kind) {
    case 'step.started':
      return {
        ...step,
        state: step.state === 'planned' ? 'running' : step.state,
        started_at: step.started_at ?? fact.at,
      };
    case 'step.finished':
      return { ...step, state: fact.payload['failed'] === true ? 'failed' : 'finished', ended_at: fact.at };
    case 'step.skipped':
      return { ...step, state: 'skipped', ended_at: fact.at };
    default:
      return step;
  }
}

/** A lease after one more event that names it. */
export function reduceLease(lease: LeaseFacts, fact: Fact): LeaseFacts {
  switch (fact.kind) {
    case 'lease.state_changed':
      return {
        ...withMembers(lease, fact.payload, ['injection', 'outcome', 'released_by']),
        state: fact.payload['to'] as LeaseState,
      };
    case 'fault.injected': {
      const injected = withMembers(lease, fact.payload, ['deadline', 'injected_at', 'inject_ms']);
      // A proof just before undo says more than the one at start; it is never overwritten by a late record of the latter.
      return {
        ...injected,
        injection: lease.undone_at === null ? (fact.payload['outcome'] as InjectionOutcome) : lease.injection,
      };
    }
    case 'fault.recovered':
    case 'fault.failed':
      return withMembers(lease, fact.payload, [
        'injection',
        'outcome',
        'released_by',
        'injected_at',
        'undone_at',
        'undo_ms',
        'problem',
      ]);
    default:
      return lease;
  }
}

function withMembers(lease: LeaseFacts, payload: JsonObject, names: readonly (keyof LeaseFacts)[]): LeaseFacts {
  const present = names.filter((name) => payload[name] !== undefined);
  return { ...lease, ...Object.fromEntries(present.map((name) => [name, payload[name]])) };
}
