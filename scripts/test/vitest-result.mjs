import { relative } from 'node:path';

/**
 * Counts tests in vitest's JSON report. A file that failed without any of its tests doing so (it could not be loaded,
 * what it sets up first failed) counts as one failure; so does a run of that kind (an unhandled error, a crashed worker).
 *
 * @param {any} report parsed, or undefined when vitest wrote none
 * @param {number} exitCode vitest's
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, exitCode) {
  const files = report?.testResults ?? [];
  const broken = files.filter(
    (/** @type {any} */ file) =>
      file.status === 'failed' &&
      file.assertionResults.every((/** @type {any} */ result) => result.status !== 'failed'),
  ).length;
  const failed = (report?.numFailedTests ?? 0) + broken;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

/**
 * The test files that did not pass, as absolute paths.
 *
 * @param {any} report
 * @returns {readonly string[]}
 */
export function failedFiles(report) {
  return (report?.testResults ?? [])
    .filter((/** @type {any} */ file) => file.status === 'failed')
    .map((/** @type {any} */ file) => file.name);
}

/**
 * The tests that did not pass, as `file: name`; a file that failed as a whole stands for itself.
 *
 * @param {any} report
 * @param {string} root what file names are shown from
 * @returns {readonly string[]}
 */
export function failedTests(report, root) {
  return (report?.testResults ?? [])
    .filter((/** @type {any} */ file) => file.status === 'failed')
    .flatMap((/** @type {any} */ file) => {
      const name = relative(root, file.name);
      const failed = file.assertionResults.filter((/** @type {any} */ result) => result.status === 'failed');
      return failed.length === 0 ? [name] : failed.map((/** @type {any} */ result) => `${name}: ${result.fullName}`);
    });
}

/**
 * Counts tests of which some files ran twice: those files count as they ended the second time.
 *
 * @param {{ first: any, second: any, secondCode: number }} options reports, parsed; the second of the failed files alone
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTwoTries({ first, second, secondCode }) {
  const again = new Set(failedFiles(first));
  const firstRest = (first?.testResults ?? []).filter((/** @type {any} */ file) => !again.has(file.name));
  const rest = { passed: 0, skipped: 0 };
  for (const result of firstRest.flatMap((/** @type {any} */ file) => file.assertionResults)) {
    if (result.status === 'passed') rest.passed += 1;
    else rest.skipped += 1;
  }
  const ended = countTests(second, secondCode);
  return { passed: rest.passed + ended.passed, failed: ended.failed, skipped: rest.skipped + ended.skipped };
}
