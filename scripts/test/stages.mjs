import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/places.mjs';
import { run } from '../setup/process.mjs';
import { countTests } from './vitest-result.mjs';

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
 * Runs all tests.
 *
 * @param {{ log: Log, env: NodeJS.ProcessEnv, folder: string, timeoutMs: number, filters: readonly string[] }} options
 *   `folder` takes the report; `filters` are vitest's, empty for all tests
 * @returns {Promise<Count>}
 */
export async function runTests({ log, env, folder, timeoutMs, filters }) {
  const startedMs = performance.now();
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [vitest, 'run', ...filters, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const { code } = await run(process.execPath, args, { timeoutMs, cwd: root, env, inherit: true });
  const count = countTests(existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined, code);
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  const line = `tests ${count.passed} passed, ${count.failed} failed${skipped} ${seconds(startedMs)}`;
  log(`${count.failed === 0 ? 'ok ' : 'FAILED'} ${line}`);
  if (code === 124) log(`       stopped: not finished within ${Math.round(timeoutMs / 60_000)} minutes`);
  return count;
}

/** @param {string} text */
function head(text) {
  const lines = text.trimEnd().split('\n');
  const rest = lines.length - MOST_LINES;
  return [...lines.slice(0, MOST_LINES), ...(rest > 0 ? [`… and ${rest} lines more`] : [])].join('\n');
}

/** @param {number} startedMs */
export const seconds = (startedMs) => `(${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`;
