import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { SetupError } from '../setup/setup-error.mjs';

/**
 * The state folder that the demo works in. One that the user named stays the user's; the demo's own is apart from
 * that of any other stack, so that it can be removed again.
 *
 * @typedef {{ path: string, own: boolean }} DemoHome
 */

/**
 * `MAYHEM_HOME`, else `/var/lib/mayhem-demo` for root, whose home folder is closed to the user that Postgres runs
 * as, else `mayhem-demo` under XDG_STATE_HOME (XDG Base Directory Specification 0.8).
 *
 * @param {{ env?: NodeJS.ProcessEnv, uid?: number | undefined }} [options]
 * @returns {DemoHome}
 */
export function locateDemoHome({ env = process.env, uid = process.getuid?.() } = {}) {
  if (env.MAYHEM_HOME) return { path: resolve(env.MAYHEM_HOME), own: false };
  if (uid === 0) return { path: '/var/lib/mayhem-demo', own: true };
  const named = env.XDG_STATE_HOME;
  const state = named && isAbsolute(named) ? named : join(homedir(), '.local', 'state');
  return { path: join(state, 'mayhem-demo'), own: true };
}

/** @param {DemoHome} home */
export function makeDemoHome(home) {
  try {
    makeFolder(home.path, 0o711);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`the demo's state folder cannot be made: ${reason}.`, {
      command: 'export MAYHEM_HOME=<a folder that you may write to>',
    });
  }
}

/**
 * As `mkdir -p`; Node's own recursive way turns for ever where a parent cannot be made.
 *
 * @param {string} path
 * @param {number} mode of the last folder; those above it get 0755
 */
function makeFolder(path, mode) {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, 0o755);
  mkdirSync(path, { mode });
}

/**
 * Removes the demo's own state folder, once nothing runs from it any more.
 *
 * @param {DemoHome} home
 * @returns {{ ok: boolean, line: string }} with one line for the terminal
 */
export function removeDemoHome(home) {
  if (!home.own) return { ok: true, line: `state folder ${home.path} kept, as MAYHEM_HOME names it` };
  try {
    rmSync(home.path, { recursive: true, force: true });
    return { ok: true, line: `state folder ${home.path} removed` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, line: `state folder ${home.path} not removed: ${reason}` };
  }
}

/**
 * @param {DemoHome} home
 * @param {string} command one of mayhem's
 * @returns {string} what to type in this folder
 */
export const typed = (home, command) => `MAYHEM_HOME=${quoted(home.path)} node bin/mayhem ${command}`;

/** @param {string} text */
const quoted = (text) => (/^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
