import { Agent, request } from 'undici';
import type { HttpProbe } from '../model/probe.js';
import type { ProbeResult } from './probe-result.js';
import type { ResolveHost } from './service-addresses.js';

const BODY_LIMIT_BYTES = 1_000_000;

/**
 * Sends one HTTP request over a connection of its own, so that every sample meets what a new caller would meet. Redirects are not
 * followed. Latency runs from the call to the last byte of the body, in milliseconds.
 */
export async function probeHttp(options: {
  readonly probe: HttpProbe;
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
}): Promise<ProbeResult> {
  const { probe } = options;
  const begun = performance.now();
  const dispatcher = new Agent({ pipelining: 0, connect: { timeout: probe.timeout_ms } });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(Math.max(1, Math.round(probe.timeout_ms)))]);
  try {
    const url = new URL(probe.url);
    const headers: Record<string, string> = { ...probe.headers };
    const address = await options.resolve(url.hostname);
    if (address !== null) {
      headers['host'] ??= url.host;
      url.hostname = address.includes(':') ? `[${address}]` : address;
    }
    const answer = await request(url, {
      method: probe.method as 'GET',
      headers,
      body: probe.body,
      dispatcher,
      signal,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    let body = '';
    let bytes = 0;
    for await (const chunk of answer.body) {
      bytes += (chunk as Buffer).length;
      if (bytes <= BODY_LIMIT_BYTES) body += String(chunk);
    }
    return { status: answer.statusCode, latencyMs: performance.now() - begun, reachable: true, body, error: null };
  } catch (error) {
    const latencyMs = performance.now() - begun;
    const timedOut = signal.aborted && !options.signal.aborted;
    return {
      status: null,
      latencyMs,
      reachable: false,
      body: null,
      error: timedOut ? `no answer within ${probe.timeout_ms} ms` : errorText(error),
    };
  } finally {
    await dispatcher.destroy();
  }
}

function errorText(error: unknown): string {
  const code = (error as { code?: string } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  return code && !message.includes(code) ? `${code}: ${message}` : message;
}
