import type { Measure, Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';
import { isAnswered, NO_ANSWER } from './answered.js';
import { coverageOf } from './coverage.js';
import type { Coverage } from './coverage.js';
import type { FaultFact } from './facts.js';
import { percentile } from './percentile.js';
import { intervalsInForce, phasesOf, timedSamples } from './phases.js';

export interface EntryMeasures {
  readonly entry: SteadyStateProbe;
  readonly coverage: Coverage;
  readonly measures: readonly Measure[];
}

/**
 * The measures of one steady_state entry: `<id>.passed`, `.ok_pct`, `.latency_ms` (95th percentile), `.status` (the worst) over the
 * samples during faults, and the same with `.before` and `.after`. Those during faults are not observed (null) when fewer than half
 * of the samples due then were taken.
 */
export function steadyStateMeasures(options: {
  readonly entry: SteadyStateProbe;
  readonly samples: readonly Sample[];
  readonly faults: readonly FaultFact[];
  readonly endedAt: string;
}): EntryMeasures {
  const { entry } = options;
  const intervals = intervalsInForce(options);
  const phases = phasesOf({ samples: timedSamples(options), faults: options.faults, intervals });
  const coverage = coverageOf({ entry, during: phases.during, intervals });
  const gap = `${entry.id} during faults: ${coverage.collected} of ${coverage.expected} samples`;
  const during =
    intervals.length === 0
      ? notObserved({ entry, suffix: '', note: 'no fault was in force' })
      : coverage.sufficient
        ? measuresOf({ entry, samples: phases.during.map(({ sample }) => sample), suffix: '', phase: 'during faults' })
        : notObserved({ entry, suffix: '', note: gap });
  return {
    entry,
    coverage,
    measures: [
      ...during,
      ...measuresOf({
        entry,
        samples: phases.before.map(({ sample }) => sample),
        suffix: '.before',
        phase: 'before faults',
      }),
      ...measuresOf({
        entry,
        samples: phases.after.map(({ sample }) => sample),
        suffix: '.after',
        phase: 'after faults',
      }),
    ],
  };
}

function notObserved(options: {
  readonly entry: SteadyStateProbe;
  readonly suffix: string;
  readonly note: string;
}): readonly Measure[] {
  return ['passed', 'ok_pct', 'latency_ms', 'status'].map((name) => ({
    source_id: `${options.entry.id}.${name}${options.suffix}`,
    value: null,
    note: options.note,
  }));
}

function measuresOf(options: {
  readonly entry: SteadyStateProbe;
  readonly samples: readonly Sample[];
  readonly suffix: string;
  readonly phase: string;
}): readonly Measure[] {
  const { entry, samples, suffix, phase } = options;
  if (samples.length === 0) return notObserved({ entry, suffix, note: `no sample ${phase}` });
  const ok = samples.filter((sample) => sample.ok).length;
  const okPct = (ok / samples.length) * 100;
  const count = `${ok} of ${samples.length} samples ${phase} as expected`;
  const name = (measure: string): string => `${entry.id}.${measure}${suffix}`;
  return [
    {
      source_id: name('passed'),
      value: okPct >= entry.min_ok_pct,
      note: `${count}, at least ${entry.min_ok_pct} % wanted`,
    },
    { source_id: name('ok_pct'), value: okPct, note: count },
    {
      source_id: name('latency_ms'),
      value: percentile({ values: samples.flatMap((sample) => latencyOf(sample, entry)), percent: 95 }),
      note: `95th percentile of ${samples.length} samples ${phase}`,
    },
    {
      source_id: name('status'),
      value: worstStatus(samples, entry.expect.status),
      note: `worst of ${samples.length} samples ${phase}`,
    },
  ];
}

/** A probe without an answer counts with its timeout: a refused connection is no quick answer. */
function latencyOf(sample: Sample, entry: SteadyStateProbe): readonly number[] {
  if (!isAnswered(sample)) return [entry.probe.timeout_ms];
  return sample.latency_ms === null ? [] : [sample.latency_ms];
}

/** No answer is worst, then the highest status other than the one wanted. */
export function worstStatus(samples: readonly Sample[], wanted: number | undefined): number | string | null {
  if (!samples.every(isAnswered)) return NO_ANSWER;
  const seen = samples.map((sample) => sample.status).filter((status) => status !== null);
  const unwanted = seen.filter((status) => status !== wanted);
  if (seen.length === 0) return null;
  return Math.max(...(unwanted.length > 0 ? unwanted : seen));
}
