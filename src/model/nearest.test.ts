import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.js';

describe('the nearest word', () => {
  it.each([
    ['container.puase', 'container.pause'],
    ['CONTAINER.PAUSE', 'container.pause'],
    ['contaner.pause', 'container.pause'],
  ])('for %s is found', (word, expected) => {
    expect(nearest({ word, candidates: ['cpu.saturate', 'container.pause', 'container.kill'] })).toBe(expected);
  });

  it('is none when nothing is near, so that a hint never misleads', () => {
    expect(nearest({ word: 'api', candidates: ['database', 'gateway'] })).toBeNull();
    expect(nearest({ word: '', candidates: ['a'] })).toBeNull();
    expect(nearest({ word: 'x'.repeat(10_000), candidates: ['x'] })).toBeNull();
  });

  it('is the first of equals', () => {
    expect(nearest({ word: 'ab', candidates: ['ac', 'ad'] })).toBe('ac');
  });
});
