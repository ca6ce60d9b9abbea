import { expect, test } from 'vitest';
import { sameTree } from './node-modules.mjs';

const wanted = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.2.3', integrity: 'sha512-a' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b', optional: true },
};
const { '': _own, ...all } = wanted;

test('what npm installed from the lock file is the same tree', () => {
  expect(sameTree(wanted, all)).toBe(true);
});

test('an optional package for another platform may be missing', () => {
  expect(sameTree(wanted, { 'node_modules/a': all['node_modules/a'] })).toBe(true);
});

test('a needed package may not be missing', () => {
  expect(sameTree(wanted, { 'node_modules/b': all['node_modules/b'] })).toBe(false);
});

test('another version, another content and a package too many are another tree', () => {
  expect(sameTree(wanted, { ...all, 'node_modules/a': { version: '1.2.4', integrity: 'sha512-a' } })).toBe(false);
  expect(sameTree(wanted, { ...all, 'node_modules/a': { version: '1.2.3', integrity: 'sha512-x' } })).toBe(false);
  expect(sameTree(wanted, { ...all, 'node_modules/c': { version: '1.0.0' } })).toBe(false);
});
