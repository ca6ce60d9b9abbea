import { Context } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../evidence/database.js';
import type { RunRow } from '../evidence/run-row.js';
import { writeSamples } from '../evidence/sample-store.js';
import { MayhemError } from '../model/error.js';
import type { Sample } from '../model/observation.js';
import { sampleSeries } from '../probes/sample-series.js';
import type { ResolveHost } from '../probes/service-addresses.js';

/** What a worker loses at most when it is killed. */
const FLUSH_MS = 500;
/** Samples kept while the database is away; beyond it the oldest are dropped and the gap is seen as one. */
const BUFFER_LIMIT = 100_000;

/**
 * Samples all steady-state probes of a run, for `forMs` from when the activity was first scheduled or until it is cancelled. A
 * retry on another worker goes on where the first stopped: slots count from the run's start. Samples wait for a database that is
 * away.
 */
export async function sampleRun(options: {
  readonly db: Database;
  readonly run: RunRow;
  readonly forMs: number | null;
  readonly resolve: ResolveHost;
}): Promise<void> {
  const context = Context.current();
  const { run, forMs } = options;
  const originMs = Date.parse(run.started_at ?? run.created_at);
  const untilMs = forMs === null ? null : context.info.scheduledTimestampMs + forMs;
  const stop = new AbortController();
  context.cancellationSignal.addEventListener('abort', () => stop.abort(), { once: true });
  if (context.cancellationSignal.aborted) stop.abort();

  let buffer: Sample[] = [];
  const flush = async () => {
    if (buffer.length === 0) return;
    const batch = buffer;
    buffer = [];
    try {
      await writeSamples(options.db, { runId: run.run_id, samples: batch });
    } catch (error) {
      if (!(error instanceof MayhemError) || error.code !== 'database.unreachable') throw error;
      buffer = [...batch, ...buffer].slice(-BUFFER_LIMIT);
    }
  };

  let sampling = true;
  const series = Promise.all(
    run.plan.steady_state.map((entry) =>
      sampleSeries({
        entry,
        originMs,
        untilMs,
        resolve: options.resolve,
        signal: stop.signal,
        take: (sample) => buffer.push(sample),
      }),
    ),
  ).finally(() => {
    sampling = false;
  });
  const ended = series.catch(() => undefined);
  try {
    while (sampling) {
      await Promise.race([ended, delay(FLUSH_MS)]);
      await flush();
    }
    await series;
    while (buffer.length > 0) {
      await flush();
      if (buffer.length > 0) await delay(FLUSH_MS);
    }
  } finally {
    stop.abort();
  }
}
