import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { MayhemError } from '../model/error.js';

/** The one folder that holds Mayhem's state on this machine, and what lies where in it. */
export interface Home {
  readonly path: string;
  readonly logs: string;
  /** Pid files, beats, the supervisor's lock and its notes. */
  readonly run: string;
  readonly postgres: string;
  readonly temporal: string;
  /** Ports and passwords, kept over restarts; 0600. */
  readonly stackFile: string;
}

/**
 * `MAYHEM_HOME`, else `/var/lib/mayhem` for root, else `mayhem` under XDG_STATE_HOME (`~/.local/state`,
 * XDG Base Directory Specification 0.8).
 */
export function locateHome(options: { readonly env: NodeJS.ProcessEnv; readonly uid: number }): Home {
  const named = options.env.MAYHEM_HOME;
  if (named !== undefined && named !== '') return homeAt(resolve(named));
  if (options.uid === 0) return homeAt('/var/lib/mayhem');
  const xdg = options.env.XDG_STATE_HOME;
  const state = xdg !== undefined && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state');
  return homeAt(join(state, 'mayhem'));
}

export function homeAt(path: string): Home {
  return {
    path,
    logs: join(path, 'logs'),
    run: join(path, 'run'),
    postgres: join(path, 'postgres'),
    temporal: join(path, 'temporal'),
    stackFile: join(path, 'stack.json'),
  };
}

/** The longest path of a unix socket that Linux takes, without its closing zero byte (unix(7)). */
const SOCKET_PATH_MAX_BYTES = 107;

export function fitsSocket(path: string): boolean {
  return Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES;
}

/**
 * Makes the folder and its rooms: 0711 outside, because Postgres under its own user must get through, 0700 inside.
 * Throws stack.failed when it cannot be made.
 */
export function prepareHome(home: Home): void {
  if (!fitsSocket(join(home.path, 'agent-12345678.sock'))) {
    throw new MayhemError('stack.failed', `the state folder's path is too long for the agent's socket: ${home.path}`, {
      hint: 'Set MAYHEM_HOME to a shorter path.',
    });
  }
  try {
    makeFolder(home.path, 0o711);
    chmodSync(home.path, 0o711);
    for (const folder of [home.logs, home.run, home.postgres, home.temporal]) {
      makeFolder(folder, 0o700);
    }
  } catch (cause) {
    throw new MayhemError('stack.failed', `cannot make the state folder ${home.path}: ${(cause as Error).message}`, {
      hint: 'Set MAYHEM_HOME to a folder that you may write to.',
      cause,
    });
  }
}

/** As `mkdir -p`; Node's own recursive way turns for ever where a parent cannot be made, under /proc for one. */
function makeFolder(path: string, mode: number): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, 0o755);
  mkdirSync(path, { mode });
}
