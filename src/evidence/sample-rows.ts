import { digestOf, sha256Hex } from '../model/digest.js';
import type { Sample } from '../model/observation.js';

const SHORT = 8;

/** A sample's digest: over what it measured, not over when it was stored. */
export function sampleDigest(sample: Sample): string {
  const { source_id, slot, at, ok, status, latency_ms, error } = sample;
  // Of a list of plain values this is the canonical form already; there may be 20,000 a second.
  return sha256Hex(JSON.stringify([source_id, slot, at, ok, status, latency_ms, error]));
}

export interface BatchDigest {
  /** SHA-256 over the digests of all rows. */
  readonly digest: string;
  /** The first eight hex digits of each row's digest, run together: they tell which row it is that was edited. */
  readonly rows: string;
}

/** The digest of a batch of samples, in the order of source and slot. */
export function batchDigest(samples: readonly Sample[]): BatchDigest {
  const digests = [...samples].sort(bySource).map(sampleDigest);
  return { digest: digestOf(digests), rows: digests.map((digest) => digest.slice(0, SHORT)).join('') };
}

/** Samples of a batch whose digests the batch does not list: edited or added rows. */
export function strangersIn(samples: readonly Sample[], rows: string): readonly Sample[] {
  const known = new Set(rows.match(/.{8}/g) ?? []);
  return samples.filter((sample) => !known.has(sampleDigest(sample).slice(0, SHORT)));
}

function bySource(a: Sample, b: Sample): number {
  if (a.source_id !== b.source_id) return a.source_id < b.source_id ? -1 : 1;
  return a.slot - b.slot;
}
