import type { PlanStep } from '../model/plan.js';
import type { SteadyStateProbe } from '../model/probe.js';

const CHECK_MEASURES = ['', '.passed', '.status', '.latency_ms'];
const STEADY_MEASURES = ['.passed', '.ok_pct', '.status', '.latency_ms'];
const PHASES = ['', '.before', '.after'];

/** Every source id a criterion of this plan can name: measures of checks, by id and by step id, and of steady states. */
export function sourceIdsOf(options: {
  readonly steps: readonly PlanStep[];
  readonly steadyState: readonly SteadyStateProbe[];
}): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const step of options.steps) {
    if (step.kind !== 'check') continue;
    const names = step.check.id === null ? [step.step_id] : [step.step_id, step.check.id];
    for (const name of names) for (const measure of CHECK_MEASURES) ids.add(name + measure);
  }
  for (const { id } of options.steadyState) {
    for (const measure of STEADY_MEASURES) for (const phase of PHASES) ids.add(id + measure + phase);
  }
  return ids;
}
