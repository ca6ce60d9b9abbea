import { describe, expect, it } from 'vitest';
import type { Selection } from '../model/selection.js';
import { selectTargets } from './select-targets.js';

const select = (total: number, selection: Selection, draw = 'seed') =>
  selectTargets({ candidates: Array.from({ length: total }, (_, i) => i), selection, draw, what: 'containers of web' });

describe('a selection', () => {
  it.each([
    [10, 3, 1],
    [34, 3, 2],
    [50, 5, 3],
    [100, 4, 4],
    [0.01, 100, 1],
    [7, 100, 7],
    [29, 100, 29],
    [50, 0, 0],
  ])('of %s percent of %i takes %i, rounded up', (percentage, total, taken) => {
    expect(select(total, { mode: 'percentage', percentage })).toEqual(Array.from({ length: taken }, (_, i) => i));
  });

  it('of one takes the first, of all every one', () => {
    expect(select(3, { mode: 'one' })).toEqual([0]);
    expect(select(3, { mode: 'all' })).toEqual([0, 1, 2]);
  });

  it('of a count takes so many, and refuses when there are fewer', () => {
    expect(select(3, { mode: 'count', count: 2 })).toEqual([0, 1]);
    expect(() => select(1, { mode: 'count', count: 2 })).toThrow('selection count 2: there are 1 containers of web');
  });

  it('at random takes one, the same for the same seed, and each of them for some seed', () => {
    const picks = Array.from({ length: 200 }, (_, seed) => select(3, { mode: 'random' }, `${seed}/web`));
    expect(picks.every((pick) => pick.length === 1)).toBe(true);
    const counts = [0, 1, 2].map((one) => picks.filter(([pick]) => pick === one).length);
    expect(Math.min(...counts)).toBeGreaterThan(40);
    expect(select(1000, { mode: 'random' })).toEqual(select(1000, { mode: 'random' }));
    expect(select(0, { mode: 'random' })).toEqual([]);
  });
});
