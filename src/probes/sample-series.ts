import { setTimeout as delay } from 'node:timers/promises';
import type { Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';
import { meets } from './probe-result.js';
import { runProbe } from './run-probe.js';
import type { ResolveHost } from './service-addresses.js';

export interface SampleSeriesOptions {
  readonly entry: SteadyStateProbe;
  /** Slot 0 begins here: the same for every worker that samples for this run, so that no slot is written twice. */
  readonly originMs: number;
  /** No sample begins at or after this; null: until the signal fires. */
  readonly untilMs: number | null;
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
  readonly take: (sample: Sample) => void;
}

/** Samples one probe at its cadence, one probe at a time: slots that pass while a probe is under way are skipped. */
export async function sampleSeries(options: SampleSeriesOptions): Promise<void> {
  const { entry, originMs, signal } = options;
  let slot = Math.ceil((Date.now() - originMs) / entry.cadence_ms);
  for (;;) {
    const atMs = originMs + slot * entry.cadence_ms;
    if (signal.aborted || (options.untilMs !== null && atMs >= options.untilMs)) return;
    const waitMs = atMs - Date.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const at = new Date().toISOString();
    const result = await runProbe({ probe: entry.probe, resolve: options.resolve, signal });
    // A probe that was cut off by the end of the series has measured nothing.
    if (signal.aborted && result.error !== null) return;
    const { ok, why } = meets({ result, expect: entry.expect });
    options.take({
      source_id: entry.id,
      slot,
      at,
      ok,
      status: result.status,
      latency_ms: result.error === null ? Math.round(result.latencyMs * 10) / 10 : null,
      error: result.error ?? (ok ? null : why),
    });
    slot = Math.max(slot + 1, Math.ceil((Date.now() - originMs) / entry.cadence_ms));
  }
}
