export interface DecisionRef {
  readonly id: string;
  readonly date: string;
}

/** Decisions about the drill language that govern what a plan means, each with the date on which this project took it up. */
const DECISIONS = {
  additiveLanguage: { id: 'M4-1', date: '2026-11-30' },
  schemaFreeze: { id: 'M4-5', date: '2026-11-30' },
  successCriteria: { id: 'M4-3', date: '2026-11-30' },
} as const satisfies Record<string, DecisionRef>;

/** The decisions that govern a plan: two always, the one about criteria when it declares any. */
export function decisionRefsOf(options: { readonly hasCriteria: boolean }): readonly DecisionRef[] {
  const always = [DECISIONS.additiveLanguage, DECISIONS.schemaFreeze];
  return options.hasCriteria ? [...always, DECISIONS.successCriteria] : always;
}
