import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Launch } from './component.js';
import { identityOf, isAlive, type ProcessIdentity } from '../host/process-identity.js';

/** How often an adopted process, of whose end nobody tells us, is looked at. */
const ADOPTED_POLL_MS = 100;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running component: who it is and, in time, how it ended. */
export interface Life {
  readonly identity: ProcessIdentity;
  readonly ended: Promise<Ending>;
}

/**
 * Starts a process in a session of its own, so that no end of ours and no key of a terminal reaches it.
 * Rejects when the program cannot be started.
 */
export async function beginLife(options: { readonly launch: Launch; readonly log: number }): Promise<Life> {
  const { launch, log } = options;
  const child = spawn(launch.program, [...launch.args], {
    cwd: launch.cwd,
    env: launch.env,
    detached: true,
    stdio: ['ignore', log, log],
    ...(launch.uid === undefined ? {} : { uid: launch.uid }),
    ...(launch.gid === undefined ? {} : { gid: launch.gid }),
  });
  closeSync(log);
  const ended = new Promise<Ending>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  if (child.pid === undefined) {
    await new Promise((_, reject) => child.once('error', reject));
  }
  child.on('error', () => {});
  const pid = child.pid as number;
  // A process that ended at once has no identity any more; its ending is told all the same.
  const identity = identityOf(pid) ?? { pid, start_ticks: -1, boot_id: '' };
  return { identity, ended };
}

/** Takes over a process that another supervisor started. */
export function adoptLife(identity: ProcessIdentity): Life {
  const watch = async (): Promise<Ending> => {
    while (isAlive(identity)) await sleep(ADOPTED_POLL_MS);
    return { code: null, signal: null };
  };
  return {
    identity: { pid: identity.pid, start_ticks: identity.start_ticks, boot_id: identity.boot_id },
    ended: watch(),
  };
}
