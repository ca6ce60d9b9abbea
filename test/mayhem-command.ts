import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, start } from './drills/mayhem.js';

const BUILT = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** What users set would change what the tests see: only what is given counts, beside what every program needs. */
function cleanEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  const { DOCKER_HOST, HOME, MAYHEM_TEMPORAL_CLI, PATH, TMPDIR, XDG_CACHE_HOME } = process.env;
  return { DOCKER_HOST, HOME, MAYHEM_TEMPORAL_CLI, PATH, TMPDIR, XDG_CACHE_HOME, ...env };
}

/** Runs the built program to its end in an environment that is empty but for `env`. */
export async function mayhem(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
): Promise<Finished> {
  if (!existsSync(BUILT)) throw new Error('dist/ is not built: run `npm run build` first');
  return start(args, { cwd: options.cwd ?? tmpdir(), env: cleanEnv(options.env ?? {}) }).finished;
}

/** An empty folder for this test; `remove` takes it away with all that is in it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mayhem-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
