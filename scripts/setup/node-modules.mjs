import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './places.mjs';
import { run } from './process.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }>} Packages
 */

/**
 * @param {string} path a package-lock.json, or the copy that npm leaves in node_modules when it has finished
 * @returns {Packages | undefined}
 */
function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Compares what npm installed with what the lock file asks for.
 *
 * @param {Packages} wanted
 * @param {Packages} installed
 * @returns {boolean} false when a package is missing, of another build, or left over; optional ones may be missing
 */
export function sameTree(wanted, installed) {
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = installed[path];
    if (!found) {
      if (entry.optional || entry.devOptional) continue;
      return false;
    }
    if (found.version !== entry.version || found.integrity !== entry.integrity) return false;
  }
  return Object.keys(installed).every((path) => path in wanted);
}

/** @type {import('./step.mjs').Step} */
export const nodeModules = {
  name: 'node_modules',
  async check() {
    const wanted = readLock(join(root, 'package-lock.json'));
    const installed = readLock(join(root, 'node_modules', '.package-lock.json'));
    if (!wanted || !installed || !sameTree(wanted, installed)) return undefined;
    return { detail: `${Object.keys(installed).length} packages, as in package-lock.json` };
  },
  async install() {
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
    const done = await run('npm', args, { timeoutMs: 600_000, cwd: root });
    if (done.code !== 0) {
      throw new SetupError('npm could not install the dependencies.', { command: 'npm ci', detail: done.stderr });
    }
  },
};
