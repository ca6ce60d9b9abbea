import type { SteadyStateProbe } from '../model/probe.js';
import type { Interval, TimedSample } from './phases.js';

export interface Coverage {
  readonly collected: number;
  /** Samples there should have been; cadences skipped because the probe before was still under way are not counted. */
  readonly expected: number;
  /** At least one sample, and at least half of those expected. */
  readonly sufficient: boolean;
}

/** How completely an entry was sampled while faults were in force. `during` is in the order of time. */
export function coverageOf(options: {
  readonly entry: SteadyStateProbe;
  readonly during: readonly TimedSample[];
  readonly intervals: readonly Interval[];
}): Coverage {
  const collected = options.during.length;
  const missing = options.intervals.reduce((sum, span) => sum + missingIn({ ...options, span }), 0);
  const expected = collected + missing;
  return { collected, expected, sufficient: collected > 0 && collected * 2 >= expected };
}

function missingIn(options: {
  readonly entry: SteadyStateProbe;
  readonly during: readonly TimedSample[];
  readonly span: Interval;
}): number {
  const { span } = options;
  const cadenceMs = Math.max(1, options.entry.cadence_ms);
  let seenUntilMs = span.fromMs;
  let missing = 0;
  let any = false;
  for (const { fromMs, toMs } of options.during) {
    if (toMs < span.fromMs || fromMs > span.toMs) continue;
    // Two samples in a row are a cadence apart, give or take: only what exceeds that is a gap.
    const gap = Math.max(0, fromMs - seenUntilMs) / cadenceMs;
    missing += any ? Math.max(0, Math.round(gap) - 1) : Math.floor(gap);
    seenUntilMs = Math.max(seenUntilMs, toMs);
    any = true;
  }
  const rest = Math.floor(Math.max(0, span.toMs - seenUntilMs) / cadenceMs);
  return any ? missing + rest : Math.max(1, rest);
}
