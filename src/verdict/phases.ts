import type { Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';
import { isAnswered } from './answered.js';
import type { FaultFact } from './facts.js';

/** A span of time, in milliseconds since the epoch. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

/** When faults were in force, overlapping ones merged, in order. A fault that was never undone lasts until the run's end. */
export function intervalsInForce(options: {
  readonly faults: readonly FaultFact[];
  readonly endedAt: string;
}): readonly Interval[] {
  const spans = options.faults
    .filter((fault) => fault.injected_at !== null)
    .map((fault) => {
      const fromMs = Date.parse(fault.injected_at as string);
      return { fromMs, toMs: Math.max(fromMs, Date.parse(fault.undone_at ?? options.endedAt)) };
    })
    .sort((a, b) => a.fromMs - b.fromMs);
  const merged: Interval[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || span.fromMs > last.toMs) merged.push(span);
    else merged[merged.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, span.toMs) };
  }
  return merged;
}

/** A sample and the time its probe was under way. */
export interface TimedSample extends Interval {
  readonly sample: Sample;
}

/**
 * The samples of one entry in the order of time. A probe that gave no latency may have waited for its whole timeout, but not beyond
 * the next one: an entry's probes never overlap.
 */
export function timedSamples(options: {
  readonly entry: SteadyStateProbe;
  readonly samples: readonly Sample[];
}): readonly TimedSample[] {
  const own = options.samples
    .filter((sample) => sample.source_id === options.entry.id)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.slot - b.slot);
  return own.map((sample, index) => {
    const fromMs = Date.parse(sample.at);
    const next = own[index + 1];
    const longestMs = sample.latency_ms ?? (isAnswered(sample) ? 0 : options.entry.probe.timeout_ms);
    const nextMs = next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next.at);
    return { sample, fromMs, toMs: Math.min(fromMs + longestMs, Math.max(fromMs, nextMs)) };
  });
}

export interface Phases {
  readonly before: readonly TimedSample[];
  readonly during: readonly TimedSample[];
  readonly after: readonly TimedSample[];
}

/**
 * Sorts samples into before the first injection, during any fault, and after the last undo. A sample under way while a fault was in
 * force belongs to `during`; one under way while a fault was only being injected, to no phase, since nobody can say whether it met
 * the fault. Samples between two faults belong to no phase either.
 */
export function phasesOf(options: {
  readonly samples: readonly TimedSample[];
  readonly faults: readonly FaultFact[];
  readonly intervals: readonly Interval[];
}): Phases {
  const { samples, intervals } = options;
  const last = intervals.at(-1);
  if (last === undefined) return { before: samples, during: [], after: [] };
  const touchedMs = Math.min(
    ...options.faults
      .filter((fault) => fault.injected_at !== null)
      .map((fault) => Date.parse(fault.injected_at as string) - (fault.inject_ms ?? 0)),
  );
  const during = samples.filter((timed) =>
    intervals.some((span) => timed.fromMs <= span.toMs && timed.toMs >= span.fromMs),
  );
  return {
    during,
    before: samples.filter((timed) => timed.toMs < touchedMs),
    after: samples.filter((timed) => timed.fromMs > last.toMs),
  };
}
