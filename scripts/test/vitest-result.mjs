/**
 * Counts tests in vitest's JSON report. A file that could not be loaded has no tests in it and counts as one
 * failure; so does a run that failed without any test doing so (an unhandled error, a crashed worker).
 *
 * @param {any} report parsed, or undefined when vitest wrote none
 * @param {number} exitCode vitest's
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(report, exitCode) {
  const files = report?.testResults ?? [];
  const unloaded = files.filter(
    (/** @type {any} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  const failed = (report?.numFailedTests ?? 0) + unloaded;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}
