import type { FaultStep, Plan } from '../model/plan.js';

/**
 * The services that may have a fault in force at one time, at the worst: those whose faults are kept in force on purpose
 * (`recovery: false`) up to and in a block, and beside them as many of the block's others as run at once under the cap.
 */
export function peakServices(options: { readonly plan: Plan; readonly cap: number }): readonly string[] {
  const { plan, cap } = options;
  const kept = new Set<string>();
  const faultsOf = new Map<number, FaultStep[]>();
  for (const step of plan.steps) {
    if (step.kind !== 'fault') continue;
    const known = faultsOf.get(step.block);
    if (known === undefined) faultsOf.set(step.block, [step]);
    else known.push(step);
  }
  let worst: readonly string[] = [];
  for (const { block, mode } of plan.blocks) {
    const passing = new Set<string>();
    for (const step of faultsOf.get(block) ?? []) (step.recovery ? passing : kept).add(step.target.service);
    const others = [...passing].filter((service) => !kept.has(service));
    const atOnce = mode === 'parallel' ? cap : 1;
    const together = [...kept, ...others.slice(0, atOnce)];
    if (together.length > worst.length) worst = together;
  }
  return [...worst].sort();
}
