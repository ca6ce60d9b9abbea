import type { Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';

export interface Baseline {
  readonly passed: boolean;
  readonly entries: readonly {
    readonly id: string;
    readonly samples: number;
    readonly ok_pct: number | null;
    readonly passed: boolean;
  }[];
}

/** Whether the steady state holds over samples taken before anything is injected. An entry without a sample does not hold. */
export function judgeBaseline(options: {
  readonly entries: readonly SteadyStateProbe[];
  readonly samples: readonly Sample[];
}): Baseline {
  const entries = options.entries.map((entry) => {
    const own = options.samples.filter((sample) => sample.source_id === entry.id);
    const okPct = own.length === 0 ? null : (own.filter((sample) => sample.ok).length / own.length) * 100;
    return { id: entry.id, samples: own.length, ok_pct: okPct, passed: okPct !== null && okPct >= entry.min_ok_pct };
  });
  return { passed: entries.every((entry) => entry.passed), entries };
}
