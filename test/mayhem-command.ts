import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('../bin/mayhem', import.meta.url));
const BUILT = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/** Longer than any command here takes; a hanging one fails its test by its own message. */
const WITHIN_MS = 90_000;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What users set would change what the tests see: only what is given counts, beside what every program needs. */
function cleanEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  const { DOCKER_HOST, HOME, MAYHEM_TEMPORAL_CLI, PATH, TMPDIR, XDG_CACHE_HOME } = process.env;
  return { DOCKER_HOST, HOME, MAYHEM_TEMPORAL_CLI, PATH, TMPDIR, XDG_CACHE_HOME, ...env };
}

/** Starts the built program; `ended` tells how it ended and all that it printed. */
export function startMayhem(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly cwd?: string } = {},
) {
  if (!existsSync(BUILT)) throw new Error('dist/ is not built: run `npm run build` first');
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: cleanEnv(options.env ?? {}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS);
  const ended = new Promise<Ran>((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, ended, printed: () => stdout + stderr };
}

/** Runs the built program to its end. */
export function mayhem(...call: Parameters<typeof startMayhem>): Promise<Ran> {
  return startMayhem(...call).ended;
}

/** An empty folder for this test; `remove` takes it away with all that is in it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'mayhem-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
