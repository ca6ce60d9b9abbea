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

/** What may lie between the last sample of the baseline and its judgement, beyond cadence and timeout. */
const FRESH_WITHIN_MS = 5_000;

/** Entries last sampled too long ago to say anything about now: everything was down in between, say. */
export function staleSources(options: {
  readonly entries: readonly SteadyStateProbe[];
  readonly samples: readonly Sample[];
  readonly nowMs: number;
}): readonly string[] {
  return options.entries
    .filter((entry) => {
      const own = options.samples.filter((sample) => sample.source_id === entry.id);
      const lastMs = Math.max(...own.map((sample) => Date.parse(sample.at)));
      return options.nowMs - lastMs > entry.cadence_ms + entry.probe.timeout_ms + FRESH_WITHIN_MS;
    })
    .map((entry) => entry.id);
}
