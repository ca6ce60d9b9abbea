import type { Plan } from '../model/plan.js';

/**
 * The services that may have a fault in force at one time, at the worst: those whose faults are kept in force on purpose
 * (`recovery: false`) up to and in a block, and beside them as many of the block's others as run at once under the cap.
 */
export function peakServices(options: { readonly plan: Plan; readonly cap: number }): readonly string[] {
  const { plan, cap } = options;
  const kept = new Set<string>();
  let worst: readonly string[] = [];
  for (const { block, mode } of plan.blocks) {
    const passing = new Set<string>();
    for (const step of plan.steps) {
      if (step.kind === 'fault' && step.block === block) (step.recovery ? passing : kept).add(step.target.service);
    }
    const others = [...passing].filter((service) => !kept.has(service));
    const atOnce = mode === 'parallel' ? cap : 1;
    const together = [...kept, ...others.slice(0, atOnce)];
    if (together.length > worst.length) worst = together;
  }
  return [...worst].sort();
}
