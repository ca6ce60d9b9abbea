import { describe, expect, test } from 'vitest';
import { at, examplePlan, faultStep, samplesBetween } from '../../test/run-fixture.js';
import type { Sample } from '../model/observation.js';
import type { Plan } from '../model/plan.js';
import { deriveResult } from './derive-result.js';
import type { CheckFact, FaultFact, VerdictFacts } from './facts.js';

function fault(changes: Partial<FaultFact> = {}): FaultFact {
  return {
    step_id: 'catalog-0001',
    fault: 'container.pause',
    target: 'shop-catalog-1',
    lease_id: 'l-1',
    injection: 'confirmed',
    undo: 'restored',
    released_by: 'workflow',
    injected_at: at(1_000),
    undone_at: at(11_000),
    inject_ms: 20,
    undo_ms: 41,
    ...changes,
  };
}

function check(changes: Partial<Sample> = {}): CheckFact {
  const sample = {
    source_id: 'api-up',
    slot: 0,
    at: at(11_500),
    ok: true,
    status: 200,
    latency_ms: 31.2,
    error: null,
    ...changes,
  };
  return { step_id: 'check-0002-0', check_id: 'api-up', passed: sample.ok, sample };
}

function facts(
  changes: Partial<VerdictFacts> & { readonly plan?: Plan; readonly aborted?: boolean } = {},
): VerdictFacts {
  const { plan, aborted, ...rest } = changes;
  return {
    run: {
      run_id: 'r-1',
      plan: plan ?? examplePlan(),
      started_at: at(0),
      ended_at: at(12_000),
      aborted: aborted ?? false,
      problem: null,
    },
    faults: [fault()],
    samples: samplesBetween({ fromMs: 0, toMs: 12_000 }),
    checks: [check()],
    baseline: null,
    ...rest,
  };
}

const BROKEN_DURING = samplesBetween({
  fromMs: 0,
  toMs: 12_000,
  of: (slot) => (slot > 2 && slot < 20 ? { ok: false, status: 503 } : {}),
});
const codes = (input: VerdictFacts): readonly string[] => deriveResult(input).reasons.map((reason) => reason.code);

describe('a verdict', () => {
  test('is pass when every fault was proven, undone, and every criterion holds', () => {
    const result = deriveResult(facts());
    expect(result).toMatchObject({
      status: 'completed',
      verdict: 'pass',
      reasons: [],
      observations: { collected: 2, planned: 2 },
      wall_s: 12,
    });
    expect(result.criteria).toEqual([
      { type: 'status', source: 'api-up.status', passed: true, expected: '200', measured: '200' },
      { type: 'latency', source: 'api-up.latency_ms', passed: true, expected: '<= 500.0', measured: '31.2' },
      { type: 'boolean', source: 'web.passed', passed: true, expected: 'true', measured: 'true' },
    ]);
  });

  test('is fail when the steady state breaks during the fault, the failing criterion named', () => {
    const result = deriveResult(facts({ samples: BROKEN_DURING }));
    expect(result).toMatchObject({ status: 'completed', verdict: 'fail' });
    expect(result.reasons).toEqual([
      {
        code: 'criterion_failed',
        message:
          'boolean:web.passed FAIL (expected true, got false): 4 of 21 samples during faults as expected, at least 99 % wanted',
      },
    ]);
  });

  test.each(['residue', 'unproven'] as const)('is fail, and the run failed, on %s, even of an aborted run', (undo) => {
    const result = deriveResult(facts({ aborted: true, faults: [fault({ undo })] }));
    expect(result).toMatchObject({ status: 'failed', verdict: 'fail' });
    expect(result.reasons.map((reason) => reason.code)).toEqual(['residue', 'aborted']);
  });

  test('is undecided when the run was aborted, even with a failed criterion, which is listed', () => {
    const input = facts({ aborted: true, samples: BROKEN_DURING });
    expect(deriveResult(input)).toMatchObject({ status: 'aborted', verdict: 'undecided' });
    expect(codes(input)).toEqual(['aborted', 'criterion_failed']);
  });

  test.each(['bypassed', 'ended_early', 'not_observed', 'inconclusive', 'not_started'] as const)(
    'is never pass nor fail when the fault was %s',
    (injection) => {
      for (const samples of [facts().samples, BROKEN_DURING]) {
        const input = facts({ samples, faults: [fault({ injection })] });
        expect(deriveResult(input).verdict).toBe('undecided');
        expect(codes(input)).toContain(injection);
      }
    },
  );

  test('is undecided when the target was gone or replaced though its fault may only end restored', () => {
    expect(deriveResult(facts({ faults: [fault({ undo: 'gone' })] })).verdict).toBe('undecided');
    const step = faultStep('catalog', 1);
    const restart = { ...step, undo: { ...step.undo, outcomes: ['replaced' as const] } };
    const plan = examplePlan({ steps: [restart, ...examplePlan().steps.slice(1)] });
    expect(deriveResult(facts({ plan, faults: [fault({ undo: 'replaced' })] })).verdict).toBe('pass');
  });

  test('is undecided when the steady state was broken before injection, as the run judged it or as the samples say', () => {
    const judged = facts({ baseline: { passed: false, broken: ['web'] } });
    expect(deriveResult(judged)).toMatchObject({
      verdict: 'undecided',
      reasons: [{ code: 'baseline_broken', message: 'web did not hold before anything was injected' }],
    });
    const samples = samplesBetween({ fromMs: 0, toMs: 12_000, of: (slot) => (slot === 0 ? { ok: false } : {}) });
    expect(codes(facts({ samples }))).toEqual(['baseline_broken']);
    expect(codes(facts({ samples, baseline: { passed: true, broken: [] } }))).toEqual([]);
  });

  test('is undecided when a source was not sampled enough during the fault', () => {
    const samples = samplesBetween({ fromMs: 0, toMs: 3_500 });
    const result = deriveResult(facts({ samples }));
    expect(result.verdict).toBe('undecided');
    expect(result.reasons).toEqual([{ code: 'observation_missing', message: 'web during faults: 6 of 20 samples' }]);
    expect(result.observations).toEqual({ collected: 1, planned: 2 });
  });

  test('is undecided when a source was not sampled enough, even if another criterion already holds', () => {
    const success = {
      require_all: false,
      criteria: [
        { type: 'status', source_id: 'api-up.status', expected: 200 },
        { type: 'boolean', source_id: 'web.passed', value: true },
      ],
    } as const;
    const input = facts({ plan: examplePlan({ success }), samples: samplesBetween({ fromMs: 0, toMs: 3_500 }) });
    expect(deriveResult(input).verdict).toBe('undecided');
  });

  test('takes cadences that a slow probe was under way for as observed', () => {
    const slow = (fromMs: number): Sample => ({
      source_id: 'web',
      slot: fromMs / 500,
      at: at(fromMs),
      ok: false,
      status: null,
      latency_ms: null,
      error: 'timeout',
    });
    const samples = [...samplesBetween({ fromMs: 0, toMs: 900 }), slow(1_000), slow(6_000)];
    const result = deriveResult(facts({ samples }));
    expect(result.verdict).toBe('fail');
    expect(result.reasons.map((reason) => reason.code)).toEqual(['criterion_failed']);
  });

  test('is undecided when a check that a criterion names never ran', () => {
    const result = deriveResult(facts({ checks: [] }));
    expect(result.verdict).toBe('undecided');
    expect(result.reasons).toEqual([
      { code: 'observation_missing', message: 'api-up.status was not observed' },
      { code: 'observation_missing', message: 'api-up.latency_ms was not observed' },
    ]);
    expect(result.criteria[0]).toMatchObject({ passed: null, measured: null });
  });

  test('is undecided when there is neither a success block nor a steady state, and pass with the latter alone', () => {
    const bare = examplePlan({ success: null, steady_state: [] });
    expect(codes(facts({ plan: bare, samples: [] }))).toEqual(['no_success_block']);
    expect(deriveResult(facts({ plan: examplePlan({ success: null }) })).verdict).toBe('pass');
  });

  test('is pass with any criterion true when not all are required, fail only when all are false', () => {
    const success = {
      require_all: false,
      criteria: [
        { type: 'status', source_id: 'api-up.status', expected: 500 },
        { type: 'boolean', source_id: 'web.passed', value: true },
      ],
    } as const;
    const plan = examplePlan({ success });
    expect(deriveResult(facts({ plan })).verdict).toBe('pass');
    expect(deriveResult(facts({ plan, samples: BROKEN_DURING })).verdict).toBe('fail');
  });

  test('of a drill whose check failed follows its criteria, the run is failed', () => {
    const plan = examplePlan({
      success: { require_all: true, criteria: [{ type: 'boolean', source_id: 'web.passed', value: true }] },
    });
    const result = deriveResult(facts({ plan, checks: [check({ ok: false, status: 503 })] }));
    expect(result).toMatchObject({ status: 'failed', verdict: 'pass' });
  });

  test('counts a fault that was kept on purpose as undone', () => {
    expect(deriveResult(facts({ faults: [fault({ undo: 'kept_faulted', undone_at: null })] })).verdict).toBe('pass');
  });

  test('is the same for the same facts', () => {
    expect(deriveResult(facts())).toEqual(deriveResult(facts()));
  });
});
