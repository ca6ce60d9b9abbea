import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/places.mjs';
import { run } from '../setup/process.mjs';
import { countTests, countTwoTries, failedFiles, failedTests } from './vitest-result.mjs';

/** What is checked besides the tests: scripts of package.json, and what each counts as. */
const CHECKS = { format: 'format:check', lint: 'lint', types: 'types' };

/** How much of a failed check's output is shown. */
const MOST_LINES = 80;

/**
 * @typedef {{ passed: number, failed: number }} Count
 * @typedef {(line: string) => void} Log
 */

/**
 * @param {{ log: Log }} options
 * @returns {Promise<Count>} one for each check
 */
export async function runChecks({ log }) {
  const count = { passed: 0, failed: 0 };
  for (const [name, script] of Object.entries(CHECKS)) {
    const startedMs = performance.now();
    const done = await run('npm', ['run', '--silent', script], { timeoutMs: 300_000, cwd: root });
    const ok = done.code === 0;
    count[ok ? 'passed' : 'failed'] += 1;
    if (!ok) log(head(`${done.stdout}${done.stderr}`));
    log(`${ok ? 'ok ' : 'FAILED'} ${name} ${seconds(startedMs)}`);
  }
  return count;
}

/**
 * Runs all tests. Files that fail are run once more, one at a time: a test of real time may lose to a busy machine. What
 * passes only then is named, since a race in a test is to be mended; what fails twice has failed.
 *
 * @param {{ log: Log, env: NodeJS.ProcessEnv, folder: string, timeoutMs: number, filters: readonly string[] }} options
 *   `folder` takes the reports; `filters` are vitest's, empty for all tests
 * @returns {Promise<Count>}
 */
export async function runTests({ log, env, folder, timeoutMs, filters }) {
  const startedMs = performance.now();
  const leftMs = () => timeoutMs - (performance.now() - startedMs);
  const first = await vitest({ env, report: join(folder, 'report.json'), timeoutMs, args: filters });
  let count = countTests(first.report, first.code);
  let { code } = first;
  const again = failedFiles(first.report);
  if (again.length > 0 && code !== 124 && leftMs() > 60_000) {
    const failed = failedTests(first.report, root);
    log(`..  once more, one file at a time: ${again.length} of the test files`);
    const args = ['--no-file-parallelism', '--max-workers=1', ...again];
    const second = await vitest({ env, report: join(folder, 'second.json'), timeoutMs: leftMs(), args });
    count = countTwoTries({ first: first.report, second: second.report, secondCode: second.code });
    code = second.code;
    const still = new Set(failedTests(second.report, root));
    for (const name of failed)
      log(`       ${still.has(name) ? 'failed twice' : 'passed the second time only'}: ${name}`);
  }
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  const line = `tests ${count.passed} passed, ${count.failed} failed${skipped} ${seconds(startedMs)}`;
  log(`${count.failed === 0 ? 'ok ' : 'FAILED'} ${line}`);
  if (code === 124) log(`       stopped: not finished within ${Math.round(timeoutMs / 60_000)} minutes`);
  return count;
}

/**
 * @param {{ env: NodeJS.ProcessEnv, report: string, timeoutMs: number, args: readonly string[] }} options
 * @returns {Promise<{ code: number, report: any }>} `report` is undefined when vitest wrote none
 */
async function vitest({ env, report, timeoutMs, args }) {
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const all = [program, 'run', ...args, ...reporters];
  const { code } = await run(process.execPath, all, { timeoutMs, cwd: root, env, inherit: true });
  return { code, report: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined };
}

/** @param {string} text */
function head(text) {
  const lines = text.trimEnd().split('\n');
  const rest = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(rest > 0 ? [`… and ${rest} lines more`] : [])].join('\n');
}

/** @param {number} startedMs */
export const seconds = (startedMs) => `(${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`;
