import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} Outcome
 * @property {number} code   exit code; 127 when the program does not exist, 124 when its deadline passed
 * @property {string} stdout
 * @property {string} stderr
 */

/**
 * Runs one program from an argument array and waits for its end. Never throws for a program that fails.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, env?: NodeJS.ProcessEnv, cwd?: string, input?: string, inherit?: boolean }} options
 *   `inherit` lets the program write to this terminal instead of being captured.
 * @returns {Promise<Outcome>}
 */
export function run(program, args, { timeoutMs, env = process.env, cwd, input, inherit = false }) {
  return new Promise((resolve) => {
    const output = inherit ? 'inherit' : 'pipe';
    const child = spawn(program, args, {
      cwd,
      env,
      stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    });
    let stdout = '';
    let stderr = '';
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    child.on('error', (error) => {
      clearTimeout(deadline);
      resolve({ code: 127, stdout, stderr: `${stderr}${error.message}` });
    });
    child.on('close', (code, signal) => {
      clearTimeout(deadline);
      const reason = late ? `\n${program}: no end within ${timeoutMs} ms` : '';
      resolve({ code: late ? 124 : (code ?? (signal ? 137 : 1)), stdout, stderr: stderr + reason });
    });
  });
}

/**
 * Looks a program up as a shell would, and in the sbin folders that a user's PATH often lacks.
 *
 * @param {string} program
 * @returns {string | undefined} its absolute path
 */
export function which(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  for (const folder of folders) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not there, or not ours to start
    }
  }
  return undefined;
}

/**
 * Waits until `condition` answers truthy.
 *
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {{ timeoutMs: number, everyMs?: number }} options
 * @returns {Promise<T | undefined>} the truthy answer, undefined past the deadline
 */
export async function waitFor(condition, { timeoutMs, everyMs = 100 }) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (performance.now() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
