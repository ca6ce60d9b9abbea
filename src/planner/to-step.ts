import type { CheckedFault } from '../faults/check-fault.js';
import { contracts } from '../mechanisms/contracts.js';
import type { Service } from '../model/blueprint.js';
import type { Drill, DrillFault } from '../model/drill.js';
import { assertNever, MayhemError } from '../model/error.js';
import type { FaultStep, PlanStep } from '../model/plan.js';
import type { LaidStep } from './lay-steps.js';

interface StepContext {
  readonly drill: Drill;
  readonly services: ReadonlyMap<string, Service>;
  readonly checked: ReadonlyMap<DrillFault, CheckedFault>;
}

/** The plan's step for a step of the layout, with target, parameters and undo contract. */
export function toStep(options: StepContext & { readonly step: LaidStep<DrillFault> }): PlanStep {
  const { step, drill } = options;
  const base = { step_id: step.step_id, seq: step.seq, block: step.block };
  switch (step.kind) {
    case 'fault':
      return { kind: 'fault', ...base, ...faultFields({ ...options, step }) };
    case 'noop':
      return { kind: 'noop', ...base, target: targetOf(options.services.get(step.name)) };
    case 'wait':
      return { kind: 'wait', ...base, duration_ms: step.duration_ms };
    case 'check':
      return { kind: 'check', ...base, check: step.check, on_failure: drill.config.on_failure };
    default:
      return assertNever(step);
  }
}

function faultFields(
  options: StepContext & { readonly step: Extract<LaidStep<DrillFault>, { kind: 'fault' }> },
): Omit<FaultStep, 'kind' | 'step_id' | 'seq' | 'block'> {
  const { step, drill } = options;
  const { fault, name } = step;
  const checked = options.checked.get(fault);
  const entry = checked?.entry ?? null;
  if (checked === undefined || entry === null || entry.undoOutcomes.length === 0) {
    throw new MayhemError('internal.failed', `plan_write_ahead_undo: ${fault.fault} has no undo contract`);
  }
  return {
    group: { id: `group-${String(step.block).padStart(4, '0')}-${name}`, mode: 'sequential', path: `/${name}` },
    fault: entry.id,
    risk: entry.risk,
    mechanism: entry.mechanism,
    params: checked.params,
    mechanism_params: entry.mechanismParams(checked.params),
    duration_ms: fault.duration_ms,
    // What cannot stay in force without a process of ours is undone all the same.
    recovery: (fault.recovery ?? drill.config.recovery) || !contracts[entry.mechanism].keepable,
    on_failure: fault.on_failure ?? drill.config.on_failure,
    target: targetOf(options.services.get(name)),
    undo: {
      mechanism: entry.mechanism,
      undo: `${entry.mechanism}.undo`,
      verify: `${entry.mechanism}.verifyUndone`,
      outcomes: entry.undoOutcomes,
    },
  };
}

function targetOf(service: Service | undefined): FaultStep['target'] {
  if (service === undefined) throw new MayhemError('internal.failed', 'a step without a service was compiled');
  return { service: service.name, container_name: service.container_name };
}
