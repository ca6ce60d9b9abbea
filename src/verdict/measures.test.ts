import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { at, examplePlan, samplesBetween } from '../../test/run-fixture.js';
import type { Sample } from '../model/observation.js';
import type { CheckFact, FaultFact, VerdictFacts } from './facts.js';
import { criterionText, judgeCriterion } from './judge-criterion.js';
import { measuresOf } from './measures.js';
import { percentile } from './percentile.js';
import { intervalsInForce } from './phases.js';

const PAUSE: FaultFact = {
  step_id: 'catalog-0001',
  fault: 'container.pause',
  target: 'shop-catalog-1',
  lease_id: 'l-1',
  injection: 'confirmed',
  undo: 'restored',
  released_by: 'workflow',
  injected_at: at(10_000),
  undone_at: at(20_000),
  inject_ms: 100,
  undo_ms: 40,
};

function values(changes: Partial<VerdictFacts>): (source: string) => unknown {
  const run = {
    run_id: 'r-1',
    plan: examplePlan(),
    started_at: at(0),
    ended_at: at(30_000),
    aborted: false,
    problem: null,
  };
  const { bySource } = measuresOf({ run, faults: [PAUSE], samples: [], checks: [], baseline: null, ...changes });
  return (source) => bySource.get(source)?.value;
}

function sample(ms: number, changes: Partial<Sample> = {}): Sample {
  return {
    source_id: 'web',
    slot: ms / 500,
    at: at(ms),
    ok: true,
    status: 200,
    latency_ms: 10,
    error: null,
    ...changes,
  };
}

describe('measures of a steady_state entry', () => {
  test('are taken over the samples during faults, and apart before and after', () => {
    const samples = samplesBetween({
      fromMs: 0,
      toMs: 30_000,
      of: (slot) =>
        slot < 20 ? { latency_ms: 10 } : slot > 40 ? { latency_ms: 30, ok: false, status: 500 } : { latency_ms: 20 },
    });
    const value = values({ samples });
    expect([value('web.latency_ms.before'), value('web.latency_ms'), value('web.latency_ms.after')]).toEqual([
      10, 20, 30,
    ]);
    expect([value('web.passed.before'), value('web.passed'), value('web.passed.after')]).toEqual([true, true, false]);
    expect([value('web.ok_pct'), value('web.ok_pct.after')]).toEqual([100, 0]);
    expect([value('web.status'), value('web.status.after')]).toEqual([200, 500]);
  });

  test('count a probe sent before the fault and still under way in it as during the fault', () => {
    const samples = [...samplesBetween({ fromMs: 0, toMs: 9_000 }), sample(9_500, { latency_ms: 5_000, ok: false })];
    const value = values({ samples: [...samples, ...samplesBetween({ fromMs: 15_000, toMs: 20_000 })] });
    expect(value('web.passed.before')).toBe(true);
    expect(value('web.passed')).toBe(false);
  });

  test('leave out a sample that met only the injection itself', () => {
    const samples = [
      ...samplesBetween({ fromMs: 0, toMs: 9_000 }),
      sample(9_920, { ok: false }),
      ...samplesBetween({ fromMs: 10_000, toMs: 20_000 }),
    ];
    const value = values({ samples });
    expect([value('web.passed.before'), value('web.passed')]).toEqual([true, true]);
  });

  test('take a probe without an answer for no quick one', () => {
    const refused = { ok: false, status: null, latency_ms: null, error: 'connection refused' };
    const value = values({ samples: samplesBetween({ fromMs: 10_000, toMs: 20_000, of: () => refused }) });
    expect(value('web.latency_ms')).toBe(5_000);
    expect(value('web.status')).toBe('no answer');
  });

  test('take a connection that was made, but too slowly, for an answer', () => {
    const slow = { ok: false, status: null, latency_ms: 700, error: '700 ms, expected at most 500' };
    const value = values({ samples: samplesBetween({ fromMs: 10_000, toMs: 20_000, of: () => slow }) });
    expect([value('web.latency_ms'), value('web.status'), value('web.passed')]).toEqual([700, null, false]);
  });

  test('do not take quick failures without a latency for slow ones', () => {
    const refused = { ok: false, status: null, latency_ms: null, error: 'connection refused' };
    const before = samplesBetween({ fromMs: 0, toMs: 9_500, of: () => refused });
    const value = values({ samples: [...before, ...samplesBetween({ fromMs: 10_000, toMs: 20_000 })] });
    expect(value('web.passed.before')).toBe(false);
    // Only the last of them may still have been under way when the fault began.
    expect(value('web.ok_pct')).toBeCloseTo((21 / 22) * 100);
  });

  test('are not observed when no fault was in force', () => {
    const value = values({
      samples: samplesBetween({ fromMs: 0, toMs: 30_000 }),
      faults: [{ ...PAUSE, injected_at: null, undone_at: null }],
    });
    expect([value('web.passed'), value('web.passed.before')]).toEqual([null, true]);
  });

  test('are the same whatever the order of the samples', () => {
    const samples = samplesBetween({
      fromMs: 0,
      toMs: 30_000,
      of: (slot) => ({ latency_ms: (slot * 7) % 41, ok: slot % 9 !== 0 }),
    });
    const expected = values({ samples });
    fc.assert(
      fc.property(fc.shuffledSubarray([...samples], { minLength: samples.length }), (shuffled) => {
        const value = values({ samples: shuffled });
        for (const name of ['passed', 'ok_pct', 'latency_ms', 'status'])
          expect(value(`web.${name}`)).toEqual(expected(`web.${name}`));
      }),
      { numRuns: 30 },
    );
  });
});

describe('measures of checks', () => {
  const check = (changes: Partial<Sample>, step = 'check-0002-0'): CheckFact => {
    const own = sample(25_000, changes);
    return { step_id: step, check_id: 'api-up', passed: own.ok, sample: own };
  };

  test('are found by id and by position, an id alone meaning passed', () => {
    const value = values({ checks: [check({ latency_ms: 31.2 })] });
    for (const id of ['api-up', 'check-0002-0']) {
      expect([value(id), value(`${id}.passed`), value(`${id}.status`), value(`${id}.latency_ms`)]).toEqual([
        true,
        true,
        200,
        31.2,
      ]);
    }
  });

  test('of several rounds are the worst of each', () => {
    const value = values({
      checks: [check({ latency_ms: 50 }), check({ ok: false, status: 503, latency_ms: 5 }, 'check-0004-0')],
    });
    expect([value('api-up.passed'), value('api-up.status'), value('api-up.latency_ms')]).toEqual([false, 503, 50]);
    expect(value('check-0002-0.status')).toBe(200);
  });

  test('without an answer fail every bound', () => {
    const value = values({ checks: [check({ ok: false, status: null, latency_ms: null, error: 'timeout' })] });
    expect([value('api-up.status'), value('api-up.latency_ms')]).toEqual(['no answer', 'no answer']);
  });
});

describe('a criterion', () => {
  const status = { type: 'status', source_id: 'a.status', expected: 200 } as const;
  const latency = { type: 'latency', source_id: 'a.latency_ms', lt_ms: 500 } as const;
  const measured = (value: number | string | boolean | null) => ({ source_id: 'a', value, note: '' });

  test.each([
    [status, 200, 'PASS (expected 200, got 200)'],
    [status, 503, 'FAIL (expected 200, got 503)'],
    [status, 'no answer', 'FAIL (expected 200, got no answer)'],
    [status, null, 'MISSING (expected 200, not observed)'],
    [latency, 31.2, 'PASS (31.2 <= 500.0)'],
    [latency, 500, 'PASS (500.0 <= 500.0)'],
    [latency, 731.04, 'FAIL (731.0 > 500.0)'],
    [latency, 'no answer', 'FAIL (expected <= 500.0, got no answer)'],
    [{ type: 'boolean', source_id: 'a', value: false } as const, false, 'PASS (expected false, got false)'],
  ])('%o of %o reads %s', (criterion, value, text) => {
    expect(criterionText(judgeCriterion({ criterion, measure: measured(value) }))).toBe(text);
  });
});

describe('intervals in force', () => {
  test('are merged where they overlap, and last to the end of the run without an undo', () => {
    const span = (from: number, to: number | null): FaultFact => ({
      ...PAUSE,
      injected_at: at(from),
      undone_at: to === null ? null : at(to),
    });
    const intervals = intervalsInForce({
      faults: [span(5_000, 7_000), span(0, 2_000), span(6_000, null)],
      endedAt: at(9_000),
    });
    expect(intervals.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [Date.parse(at(0)), Date.parse(at(2_000))],
      [Date.parse(at(5_000)), Date.parse(at(9_000))],
    ]);
  });
});

describe('a percentile', () => {
  test('is the nearest rank', () => {
    const twenty = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(percentile({ values: twenty, percent: 95 })).toBe(19);
    expect(percentile({ values: [3], percent: 95 })).toBe(3);
    expect(percentile({ values: [], percent: 95 })).toBeNull();
  });

  test('has the share of values asked for at or below it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.integer({ min: 1, max: 100 }), (list, percent) => {
        const value = percentile({ values: list, percent }) as number;
        expect(list).toContain(value);
        expect((list.filter((other) => other <= value).length / list.length) * 100).toBeGreaterThanOrEqual(percent);
      }),
    );
  });
});
