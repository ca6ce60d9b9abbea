import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import type { Sample } from '../model/observation.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { appendEvents, lockRun } from './event-store.js';
import { batchDigest } from './sample-rows.js';
import type { Schema } from './schema.js';
import { storableText, storableTime } from './storable.js';

const BATCH_ROWS = 1000;

/**
 * Stores samples, each slot of a source once, in batches of at most 1000; the digest of each batch becomes an event of the run.
 * Written again, nothing changes. Throws `run.missing`.
 */
export async function writeSamples(
  db: Database,
  options: { readonly runId: string; readonly samples: readonly Sample[] },
): Promise<void> {
  const samples = options.samples.map(storableSample);
  for (let from = 0; from < samples.length; from += BATCH_ROWS) {
    const batch = samples.slice(from, from + BATCH_ROWS);
    await inTransaction(db, (trx) => writeBatch(trx, options.runId, batch));
  }
}

function storableSample(sample: Sample): Sample {
  return {
    source_id: storableText(sample.source_id),
    slot: sample.slot,
    at: storableTime(sample.at),
    ok: sample.ok,
    status: sample.status,
    latency_ms: sample.latency_ms,
    error: sample.error === null ? null : storableText(sample.error),
  };
}

async function writeBatch(trx: Transaction<Schema>, runId: string, batch: readonly Sample[]): Promise<void> {
  const run = await lockRun(trx, runId);
  const seq = run.last_seq + 1;
  // One parameter a column instead of one a value: the statement's text does not grow with the batch.
  const { rows: inserted } = await sql<Pick<Sample, 'source_id' | 'slot'>>`
    insert into samples (run_id, source_id, slot, at, ok, status, latency_ms, error, batch_seq)
    select ${runId}, b.source_id, b.slot, b.at, b.ok, b.status, b.latency_ms, b.error, ${seq}::integer
    from unnest(
      ${batch.map((s) => s.source_id)}::text[], ${batch.map((s) => s.slot)}::integer[], ${batch.map((s) => s.at)}::timestamptz[],
      ${batch.map((s) => s.ok)}::boolean[], ${batch.map((s) => s.status)}::integer[],
      ${batch.map((s) => s.latency_ms)}::double precision[], ${batch.map((s) => s.error)}::text[]
    ) as b (source_id, slot, at, ok, status, latency_ms, error)
    on conflict (run_id, source_id, slot) do nothing
    returning source_id, slot`.execute(trx);
  if (inserted.length === 0) return;
  const keys = new Set(inserted.map(keyOf));
  const stored = [...new Map([...batch].reverse().map((sample) => [keyOf(sample), sample])).values()].filter((sample) =>
    keys.has(keyOf(sample)),
  );
  await appendEvents(trx, {
    runId,
    events: [{ kind: 'samples.recorded', payload: { samples: stored.length, ...batchDigest(stored) } }],
  });
}

function keyOf(sample: Pick<Sample, 'source_id' | 'slot'>): string {
  return `${sample.slot} ${sample.source_id}`;
}

/** All samples of a run, by source and time. */
export async function samplesOf(db: Database, runId: string): Promise<readonly Sample[]> {
  return db
    .selectFrom('samples')
    .select(['source_id', 'slot', 'at', 'ok', 'status', 'latency_ms', 'error'])
    .where('run_id', '=', runId)
    .orderBy('source_id')
    .orderBy('at')
    .orderBy('slot')
    .execute();
}
