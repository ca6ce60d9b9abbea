import type { PlanStep } from '../model/plan.js';
import type { SteadyStateProbe } from '../model/probe.js';

const CHECK_MEASURES = ['', '.status', '.latency_ms', '.passed', '.reachable'];
const STEADY_MEASURES = ['.passed', '.ok_pct', '.status', '.latency_ms'];
const PHASES = ['', '.before', '.after'];

/** Every source id a criterion of this plan can name: measures of checks by id and by step id, of steady states, and of steps. */
export function sourceIdsOf(options: {
  readonly steps: readonly PlanStep[];
  readonly steadyState: readonly SteadyStateProbe[];
}): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const step of options.steps) {
    const names = step.kind === 'check' && step.check.id !== null ? [step.step_id, step.check.id] : [step.step_id];
    const measures = step.kind === 'check' ? CHECK_MEASURES : ['', '.passed'];
    for (const name of names) for (const measure of measures) ids.add(name + measure);
  }
  for (const { id } of options.steadyState) {
    for (const measure of STEADY_MEASURES) for (const phase of PHASES) ids.add(id + measure + phase);
  }
  return ids;
}
