import { request } from 'node:http';
import { HttpError } from './service.mjs';

/**
 * Calls another service once, over a connection of its own.
 *
 * Not with fetch: in Node 18, which these images run, a garbage collection at the wrong moment makes fetch forget
 * its AbortSignal, and a call to a frozen service then lasts until it is thawed.
 *
 * @param {string} url
 * @param {{ timeoutMs?: number, method?: string, headers?: Record<string, string>, body?: string }} [options]
 *   `timeoutMs` bounds the whole call, to the last byte of the answer; without it the call takes as long as it takes
 * @returns {Promise<any>} the answer's JSON; throws HttpError when its status is not 2xx
 */
export function attempt(url, { timeoutMs, method = 'GET', headers = {}, body } = {}) {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, statusMessage = '' } = response;
        try {
          const answer = JSON.parse(text);
          if (statusCode >= 200 && statusCode < 300) resolve(answer);
          else reject(new HttpError(statusCode, answer.error ?? statusMessage));
        } catch (error) {
          reject(error);
        }
      });
    });
    call.on('error', reject);
    if (timeoutMs !== undefined) {
      const late = setTimeout(() => call.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      call.once('close', () => clearTimeout(late));
    }
    call.end(body);
  });
}
