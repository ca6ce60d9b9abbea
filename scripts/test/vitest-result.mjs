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
