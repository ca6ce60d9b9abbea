import { sha256Hex } from '../model/digest.js';
import type { RunEvent } from '../model/event.js';
import { canonicalJson } from '../model/json.js';

/** What the first event of a run takes for the hash of the one before. */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * The hash of an event: SHA-256 over the hash of the one before and the canonical JSON of everything else the event says.
 * Lower-case hex.
 */
export function hashOfEvent(event: Omit<RunEvent, 'hash'>): string {
  const { prev_hash, run_id, seq, kind, at, recorded_at, payload } = event;
  return sha256Hex(prev_hash + canonicalJson({ run_id, seq, kind, at, recorded_at, payload }));
}
