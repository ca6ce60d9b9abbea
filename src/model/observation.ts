/**
 * One measurement by a probe. A probe that cannot connect has measured something: `error` says what, `ok` is false.
 * Without an answer `status` and `latency_ms` are null; an answer that was not as expected has them, and `error` says why it was not.
 * `slot` counts cadences since the run's start: the key that makes writing twice harmless.
 */
export interface Sample {
  readonly source_id: string;
  readonly slot: number;
  /** When the probe was sent, RFC 3339 UTC. */
  readonly at: string;
  readonly ok: boolean;
  readonly status: number | null;
  readonly latency_ms: number | null;
  readonly error: string | null;
}

/** A named figure the criteria are judged by, e.g. `api-up.status` = 200. `value` null: it was not observed. */
export interface Measure {
  readonly source_id: string;
  readonly value: number | boolean | string | null;
  /** How it was come by, for people: `p95 of 20 samples during faults`. */
  readonly note: string;
}
