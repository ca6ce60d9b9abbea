import { expect, it } from 'vitest';
import { slugOf } from './ids.js';

it('writes letters with marks as their plain letters, and everything else as single dashes', () => {
  expect(slugOf('Pär  höß/Ωmega-')).toBe('par-ho-mega');
  expect(slugOf('☃')).toBe('drill');
});
