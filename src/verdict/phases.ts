import type { Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';
import type { FaultFact } from './facts.js';

/** A span of time, in milliseconds since the epoch. */
export interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Phases {
  readonly before: readonly Sample[];
  readonly during: readonly Sample[];
  readonly after: readonly Sample[];
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

/** How long a probe was under way. One that gave no latency may have waited for its whole timeout. */
export function durationMsOf(sample: Sample, entry: SteadyStateProbe): number {
  return sample.latency_ms ?? (sample.error === null ? 0 : entry.probe.timeout_ms);
}

/**
 * Sorts the samples of one entry into before the first injection, during any fault, and after the last undo. A sample under way
 * while a fault was in force belongs to `during`; one under way while a fault was only being injected, to no phase, since nobody
 * can say whether it met the fault. Samples between two faults belong to no phase either.
 */
export function phasesOf(options: {
  readonly entry: SteadyStateProbe;
  readonly samples: readonly Sample[];
  readonly faults: readonly FaultFact[];
  readonly intervals: readonly Interval[];
}): Phases {
  const { intervals } = options;
  const own = options.samples
    .filter((sample) => sample.source_id === options.entry.id)
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.slot - b.slot);
  const first = intervals[0];
  const last = intervals.at(-1);
  if (first === undefined || last === undefined) return { before: own, during: [], after: [] };
  const touchedMs = Math.min(
    ...options.faults
      .filter((fault) => fault.injected_at !== null)
      .map((fault) => Date.parse(fault.injected_at as string) - (fault.inject_ms ?? 0)),
  );
  const phases = { before: [] as Sample[], during: [] as Sample[], after: [] as Sample[] };
  for (const sample of own) {
    const fromMs = Date.parse(sample.at);
    const toMs = fromMs + durationMsOf(sample, options.entry);
    if (intervals.some((span) => fromMs <= span.toMs && toMs >= span.fromMs)) phases.during.push(sample);
    else if (toMs < touchedMs) phases.before.push(sample);
    else if (fromMs > last.toMs) phases.after.push(sample);
  }
  return phases;
}
