import { attempt } from './attempt.mjs';
import { HttpError, log } from './service.mjs';

const TIMEOUT_MS = 150;
const ATTEMPTS = 2;

/**
 * @typedef {{ answer: any, live: boolean }} Reading `live` is false for an answer from before
 */

/**
 * How the gateway calls the services behind it. Resilient: each attempt has a time limit, is made again once, and
 * what cannot be read is answered from the last good reading; no call takes longer than ATTEMPTS × TIMEOUT_MS.
 * Otherwise: one attempt, as long as it takes.
 *
 * @param {{ resilient: boolean }} options
 */
export function callers({ resilient }) {
  /** @type {Map<string, any>} */
  const lastGood = new Map();

  /**
   * @param {string} url
   * @param {{ method?: string, headers?: Record<string, string>, body?: string }} [init]
   */
  async function call(url, init = {}) {
    if (!resilient) return attempt(url, init);
    let failure;
    for (let made = 0; made < ATTEMPTS; made++) {
      try {
        return await attempt(url, { ...init, timeoutMs: TIMEOUT_MS });
      } catch (error) {
        if (error instanceof HttpError && error.status < 500) throw error;
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * @param {string} url
   * @returns {Promise<Reading>}
   */
  async function read(url) {
    try {
      const answer = await call(url);
      if (resilient) lastGood.set(url, answer);
      return { answer, live: true };
    } catch (error) {
      if (!lastGood.has(url)) throw error;
      log('answered_from_before', { url, reason: String(error) });
      return { answer: lastGood.get(url), live: false };
    }
  }

  return { call, read };
}
