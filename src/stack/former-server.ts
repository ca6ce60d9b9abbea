import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf } from '../host/process-identity.js';
import { waitUntil } from './wait-until.js';

/**
 * Waits until nothing of a killed database server is in the way of the next: its unreaped remains still answer to the pid in
 * postmaster.pid, and its children keep its shared memory until they notice its death. Returns whether all of it is gone.
 * A server refuses to start until then (PostgreSQL, "Managing Kernel Resources" and `postmaster.pid`).
 */
export async function untilServerIsGone(options: {
  readonly data: string;
  readonly withinMs: number;
}): Promise<boolean> {
  const { data } = options;
  return waitUntil({
    condition: async () => !isUnreaped(data) && !worksIn(data),
    withinMs: options.withinMs,
    everyMs: 50,
  });
}

/** Whether the pid in postmaster.pid is of a process that has ended and that its parent has not waited for. */
function isUnreaped(data: string): boolean {
  const pid = Number(readOr(join(data, 'postmaster.pid')).split('\n', 1)[0]);
  return Number.isInteger(pid) && pid > 0 && existsSync(`/proc/${pid}`) && identityOf(pid) === null;
}

/** Whether a process works in the cluster's folder, as the server and all its children do. */
function worksIn(data: string): boolean {
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && workFolder(name) === data);
}

function workFolder(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
