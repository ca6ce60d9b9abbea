import { expect, test } from 'vitest';
import { countTests, countTwoTries, failedFiles, failedTests } from './vitest-result.mjs';

const file = (status, tests, each = 'passed') => ({ status, assertionResults: Array(tests).fill({ status: each }) });

test('tests are counted as vitest reports them', () => {
  const report = { numPassedTests: 5, numFailedTests: 2, numPendingTests: 1, numTodoTests: 1, testResults: [] };
  expect(countTests(report, 1)).toEqual({ passed: 5, failed: 2, skipped: 2 });
});

test('a test file that could not be loaded is a failure', () => {
  const report = { numPassedTests: 5, numFailedTests: 0, testResults: [file('passed', 5), file('failed', 0)] };
  expect(countTests(report, 1).failed).toBe(1);
});

test('a test file whose tests were all left out because what it sets up first failed is a failure', () => {
  const testResults = [file('failed', 2, 'skipped'), file('failed', 1, 'failed')];
  const report = { numPassedTests: 0, numFailedTests: 1, numPendingTests: 2, testResults };
  expect(countTests(report, 1)).toEqual({ passed: 0, failed: 2, skipped: 2 });
});

test('a run that ends badly is a failure even when no test failed, or none was reported', () => {
  expect(countTests({ numPassedTests: 5, numFailedTests: 0, testResults: [file('passed', 5)] }, 1).failed).toBe(1);
  expect(countTests(undefined, 124)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

const named = (name, results) => ({
  name: `/checkout/${name}`,
  status: results.includes('failed') ? 'failed' : 'passed',
  assertionResults: results.map((status, index) => ({ status, fullName: `test ${index}` })),
});
const first = {
  numPassedTests: 4,
  numFailedTests: 2,
  testResults: [
    named('a.test.ts', ['passed', 'passed', 'pending']),
    named('b.test.ts', ['passed', 'failed']),
    named('c.test.ts', ['failed', 'passed']),
  ],
};

test('failed files and tests are named', () => {
  expect(failedFiles(first)).toEqual(['/checkout/b.test.ts', '/checkout/c.test.ts']);
  expect(failedTests(first, '/checkout')).toEqual(['b.test.ts: test 1', 'c.test.ts: test 0']);
  expect(
    failedTests({ testResults: [file('failed', 0)].map((one) => ({ ...one, name: '/checkout/d' })) }, '/checkout'),
  ).toEqual(['d']);
});

test('files that ran twice count as they ended the second time, the others as they did the first', () => {
  const again = [named('b.test.ts', ['passed', 'passed']), named('c.test.ts', ['passed', 'passed'])];
  const second = { numPassedTests: 4, numFailedTests: 0, testResults: again };
  expect(countTwoTries({ first, second, secondCode: 0 })).toEqual({ passed: 6, failed: 0, skipped: 1 });
});

test('what fails twice, and a second run without a report, has failed', () => {
  const again = [named('b.test.ts', ['passed', 'failed']), named('c.test.ts', ['passed', 'passed'])];
  const second = { numPassedTests: 3, numFailedTests: 1, testResults: again };
  expect(countTwoTries({ first, second, secondCode: 1 })).toEqual({ passed: 5, failed: 1, skipped: 1 });
  expect(countTwoTries({ first, second: undefined, secondCode: 124 })).toEqual({ passed: 2, failed: 1, skipped: 1 });
});
