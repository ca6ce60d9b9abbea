import type { Measure } from '../model/observation.js';
import { checkMeasures } from './check-measures.js';
import type { VerdictFacts } from './facts.js';
import { steadyStateMeasures } from './steady-state-measures.js';
import type { EntryMeasures } from './steady-state-measures.js';

export interface Measures {
  readonly entries: readonly EntryMeasures[];
  readonly bySource: ReadonlyMap<string, Measure>;
}

/** Every figure that criteria may name, from samples and checks. */
export function measuresOf(facts: VerdictFacts): Measures {
  const entries = facts.run.plan.steady_state.map((entry) =>
    steadyStateMeasures({ entry, samples: facts.samples, faults: facts.faults, endedAt: facts.run.ended_at }),
  );
  const all = [...checkMeasures(facts.checks), ...entries.flatMap((entry) => entry.measures)];
  return { entries, bySource: new Map(all.map((measure) => [measure.source_id, measure])) };
}
