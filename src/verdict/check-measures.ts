import type { Measure } from '../model/observation.js';
import { isAnswered, NO_ANSWER } from './answered.js';
import type { CheckFact } from './facts.js';

/**
 * The measures of all checks: `.status`, `.latency_ms` and `.passed` under the check's id and under its step's id; each id alone
 * means `.passed`. A check that ran several times gives the worst of each.
 */
export function checkMeasures(checks: readonly CheckFact[]): readonly Measure[] {
  const named = new Map<string, CheckFact[]>();
  for (const check of checks) {
    for (const id of new Set([check.step_id, check.check_id ?? check.step_id])) {
      named.set(id, [...(named.get(id) ?? []), check]);
    }
  }
  return [...named].flatMap(([id, facts]) => measuresOf(id, facts));
}

function measuresOf(id: string, facts: readonly CheckFact[]): readonly Measure[] {
  const note = facts.length === 1 ? 'check' : `worst of ${facts.length} checks`;
  const passed = facts.every((fact) => fact.passed);
  return [
    { source_id: `${id}.status`, value: worstStatus(facts), note },
    { source_id: `${id}.latency_ms`, value: worstLatencyMs(facts), note },
    { source_id: `${id}.passed`, value: passed, note },
    { source_id: id, value: passed, note },
  ];
}

function worstStatus(facts: readonly CheckFact[]): number | string | null {
  if (!facts.every((fact) => isAnswered(fact.sample))) return NO_ANSWER;
  const failed = facts.filter((fact) => !fact.passed);
  const seen = (failed.length > 0 ? failed : facts)
    .map((fact) => fact.sample.status)
    .filter((status) => status !== null);
  return seen.length === 0 ? null : Math.max(...seen);
}

/** Without an answer there is no latency that could be within a bound. */
function worstLatencyMs(facts: readonly CheckFact[]): number | string | null {
  if (!facts.every((fact) => isAnswered(fact.sample))) return NO_ANSWER;
  const seen = facts.map((fact) => fact.sample.latency_ms).filter((latency) => latency !== null);
  return seen.length === 0 ? null : Math.max(...seen);
}
