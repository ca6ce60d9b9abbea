import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spreadLoad } from './load.js';

describe('the load of a stressor', () => {
  it('is a share of the allowance, not of a CPU', () => {
    expect(spreadLoad({ percent: 50, cpus: 0.5 })).toEqual({ workers: 1, percent_each: 25 });
    expect(spreadLoad({ percent: 80, cpus: 2 })).toEqual({ workers: 2, percent_each: 80 });
    expect(spreadLoad({ percent: 50, cpus: 1.5 })).toEqual({ workers: 2, percent_each: 38 });
  });

  it('runs flat out at 100 percent, on every CPU of the allowance', () => {
    expect(spreadLoad({ percent: 100, cpus: 0.5 })).toEqual({ workers: 1, percent_each: 100 });
    expect(spreadLoad({ percent: 100, cpus: 2.5 })).toEqual({ workers: 3, percent_each: 100 });
  });

  it('does not start a worker more because a quota is no exact fraction', () => {
    expect(spreadLoad({ percent: 50, cpus: 3 + 1e-9 }).workers).toBe(3);
  });

  it('is off by half a percent of a CPU for each worker at most, and never nothing', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 99, noNaN: true }),
        fc.double({ min: 0.05, max: 64, noNaN: true }),
        (percent, cpus) => {
          const { workers, percent_each } = spreadLoad({ percent, cpus });
          expect(percent_each).toBeGreaterThanOrEqual(1);
          expect(percent_each).toBeLessThanOrEqual(99);
          const wanted = Math.min(99 * workers, Math.max(workers, percent * cpus));
          expect(Math.abs(workers * percent_each - wanted)).toBeLessThanOrEqual(workers / 2 + 1e-3);
        },
      ),
    );
  });
});
