import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './places.mjs';
import { run } from './process.mjs';
import { SetupError } from './setup-error.mjs';

const output = join(root, 'dist');
const inputs = ['src', 'migrations', 'scripts/build.mjs', 'tsconfig.json', 'package.json', 'package-lock.json'];

/**
 * @param {string} path file or folder
 * @returns {number} when anything below it was last written, in ms since 1970; 0 when it does not exist
 */
function newest(path) {
  if (!existsSync(path)) return 0;
  const own = statSync(path);
  if (!own.isDirectory()) return path.endsWith('.test.ts') ? 0 : own.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), own.mtimeMs);
}

/** @type {import('./step.mjs').Step} */
export const build = {
  name: 'build',
  async check() {
    const built = newest(output);
    return built > 0 && built >= Math.max(...inputs.map((path) => newest(join(root, path))))
      ? { detail: 'dist is newer than src' }
      : undefined;
  },
  async install() {
    const started = new Date();
    const built = await run('npm', ['run', '--silent', 'build'], { timeoutMs: 300_000, cwd: root });
    if (built.code !== 0) {
      throw new SetupError('the build failed.', {
        command: 'npm run build',
        detail: `${built.stdout}\n${built.stderr}`,
      });
    }
    // A build that had nothing to write is fresh all the same; what was edited meanwhile is not.
    utimesSync(output, started, started);
  },
};
