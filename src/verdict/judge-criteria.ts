import type { Criterion, CriterionResult } from '../model/criterion.js';
import type { Plan } from '../model/plan.js';
import { judgeCriterion } from './judge-criterion.js';
import type { Measures } from './measures.js';

/** The criteria of a plan: those of its success block, and `<id>.passed` of each steady_state entry that none of them names. */
export function criteriaOf(plan: Plan): readonly Criterion[] {
  const declared = plan.success?.criteria ?? [];
  const named = (id: string): boolean =>
    declared.some((criterion) => criterion.source_id === id || criterion.source_id.startsWith(`${id}.`));
  const implied = plan.steady_state
    .filter((entry) => !named(entry.id))
    .map((entry) => ({ type: 'boolean', source_id: `${entry.id}.passed`, value: true }) as const);
  return [...declared, ...implied];
}

export interface Judgement {
  readonly criteria: readonly CriterionResult[];
  /** true and false are final; null: what was not observed could still decide, or nothing was declared. */
  readonly holds: boolean | null;
}

/** Judges all criteria of a plan together, by `require_all`. */
export function judgeCriteria(options: { readonly plan: Plan; readonly measures: Measures }): Judgement {
  const criteria = criteriaOf(options.plan).map((criterion) =>
    judgeCriterion({ criterion, measure: options.measures.bySource.get(criterion.source_id) }),
  );
  const requireAll = options.plan.success?.require_all ?? true;
  const decisive = !requireAll;
  if (criteria.length === 0) return { criteria, holds: null };
  if (criteria.some((result) => result.passed === decisive)) return { criteria, holds: decisive };
  if (criteria.some((result) => result.passed === null)) return { criteria, holds: null };
  return { criteria, holds: requireAll };
}
