import type { RunEvent } from '../model/event.js';
import { isLeaseFact, isStepFact } from './project.js';
import { NEW_LEASE, NEW_RUN, NEW_STEP, reduceLease, reduceRun, reduceStep } from './reduce.js';
import type { LeaseFacts, RunState, StepState } from './reduce.js';

export interface FoldedLease extends LeaseFacts {
  readonly lease_id: string;
  readonly step_id: string;
  readonly fault: string;
  readonly target: string;
  readonly armed: boolean;
}

/** State tables, computed anew from events. */
export interface FoldedRun {
  readonly run: RunState;
  readonly steps: ReadonlyMap<string, StepState>;
  readonly leases: ReadonlyMap<string, FoldedLease>;
}

const END_KINDS: readonly string[] = ['run.completed', 'run.failed', 'run.aborted'];

/** The event with which a run ended; undefined while it runs. */
export function endOf(events: readonly RunEvent[]): RunEvent | undefined {
  return events.find((event) => END_KINDS.includes(event.kind));
}

/** What a run, its steps and its leases are after these events. Leases are in the order of their admission. */
export function foldEvents(events: readonly RunEvent[]): FoldedRun {
  const steps = new Map<string, StepState>();
  const leases = new Map<string, FoldedLease>();
  for (const event of events) {
    const { step_id: stepId, lease_id: leaseId } = event.payload;
    if (isStepFact(event) && typeof stepId === 'string') {
      steps.set(stepId, reduceStep(steps.get(stepId) ?? NEW_STEP, event));
    }
    if (isLeaseFact(event) && typeof leaseId === 'string') {
      const before = leases.get(leaseId) ?? newLease(event, leaseId);
      leases.set(leaseId, {
        ...before,
        ...reduceLease(factsIn(before), event),
        armed: before.armed || event.kind === 'fault.armed',
      });
    }
  }
  return { run: events.reduce(reduceRun, NEW_RUN), steps, leases };
}

function newLease(event: RunEvent, leaseId: string): FoldedLease {
  const text = (name: string): string => {
    const value = event.payload[name];
    return typeof value === 'string' ? value : '';
  };
  return {
    ...NEW_LEASE,
    lease_id: leaseId,
    step_id: text('step_id'),
    fault: text('fault'),
    target: text('target'),
    armed: false,
  };
}

/** Only what events decide about a lease, of a row or a folded lease. */
export function factsIn(lease: LeaseFacts): LeaseFacts {
  const names = Object.keys(NEW_LEASE) as (keyof LeaseFacts)[];
  return Object.fromEntries(names.map((name) => [name, lease[name]])) as unknown as LeaseFacts;
}
