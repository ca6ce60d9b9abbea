import { expect, it } from 'vitest';
import type { Sample } from '../model/observation.js';
import type { SteadyStateProbe } from '../model/probe.js';
import { judgeBaseline, staleSources } from './baseline.js';

const entry: SteadyStateProbe = {
  id: 'web',
  probe: { type: 'tcp', host: 'h', port: 1, timeout_ms: 1_000 },
  cadence_ms: 500,
  window_ms: 5_000,
  expect: {},
  min_ok_pct: 90,
};
const atMs = Date.parse('2026-01-01T00:00:00.000Z');
const sample = (slot: number, ok: boolean): Sample => ({
  source_id: 'web',
  slot,
  at: new Date(atMs + slot * 500).toISOString(),
  ok,
  status: null,
  latency_ms: 1,
  error: null,
});

it('holds when enough samples are ok, and does not hold without a sample', () => {
  const samples = Array.from({ length: 10 }, (_, slot) => sample(slot, slot > 0));
  expect(judgeBaseline({ entries: [entry], samples })).toMatchObject({ passed: true, entries: [{ ok_pct: 90 }] });
  expect(judgeBaseline({ entries: [{ ...entry, min_ok_pct: 91 }], samples }).passed).toBe(false);
  expect(judgeBaseline({ entries: [entry], samples: [] }).passed).toBe(false);
});

it('is stale when nothing was sampled for longer than cadence, timeout and five seconds', () => {
  const samples = [sample(0, true)];
  expect(staleSources({ entries: [entry], samples, nowMs: atMs + 6_500 })).toEqual([]);
  expect(staleSources({ entries: [entry], samples, nowMs: atMs + 6_501 })).toEqual(['web']);
  expect(staleSources({ entries: [entry], samples: [], nowMs: atMs })).toEqual(['web']);
});
