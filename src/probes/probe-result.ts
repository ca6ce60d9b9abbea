import type { Expectation } from '../model/probe.js';

/** What one probe measured. A probe that could not connect has measured that: `error` says what it met. */
export interface ProbeResult {
  readonly status: number | null;
  readonly latencyMs: number;
  readonly reachable: boolean;
  readonly body: string | null;
  readonly error: string | null;
}

/** Whether a result meets every condition. Pure. `why` names the first that it does not. */
export function meets(options: { readonly result: ProbeResult; readonly expect: Expectation }): {
  readonly ok: boolean;
  readonly why: string;
} {
  const { result, expect } = options;
  if (expect.reachable !== undefined && result.reachable !== expect.reachable) {
    return {
      ok: false,
      why: `expected ${expect.reachable ? 'reachable' : 'unreachable'}${result.error === null ? '' : `: ${result.error}`}`,
    };
  }
  if (expect.status !== undefined && result.status !== expect.status) {
    return { ok: false, why: `expected status ${expect.status}, got ${result.status ?? result.error ?? 'none'}` };
  }
  if (expect.latency_ms_lt !== undefined && !(result.error === null && result.latencyMs <= expect.latency_ms_lt)) {
    return {
      ok: false,
      why: `expected at most ${expect.latency_ms_lt} ms, got ${result.error ?? `${result.latencyMs.toFixed(1)} ms`}`,
    };
  }
  if (expect.contains !== undefined && !(result.body ?? '').includes(expect.contains)) {
    return { ok: false, why: `the body does not contain ${JSON.stringify(expect.contains)}` };
  }
  return { ok: true, why: '' };
}
