import { expect, test } from 'vitest';
import { countTests } from './vitest-result.mjs';

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
