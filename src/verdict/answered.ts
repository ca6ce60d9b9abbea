import type { Sample } from '../model/observation.js';

/** What a measure reads when a probe got no answer. */
export const NO_ANSWER = 'no answer';

/** Whether a probe got an answer at all, as wanted or not: then it has a latency, and over HTTP a status. */
export function isAnswered(sample: Sample): boolean {
  return sample.ok || sample.status !== null || sample.latency_ms !== null;
}
