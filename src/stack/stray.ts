import { readdirSync, readFileSync } from 'node:fs';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';
import { identityOf, leadsSession, type ProcessIdentity } from '../host/process-identity.js';

/** In the environment of everything the stack starts, so that it is known by more than its pid file. */
export const PART_VARIABLE = 'MAYHEM_STACK_PART';

export function partOf(home: Home, name: ComponentName): string {
  return `${home.path}:${name}`;
}

/**
 * A component of this home that lives without a pid file: its supervisor was killed between starting it and writing that
 * down. Found by its mark in /proc/<pid>/environ (proc(5)), which keeps what the process was started with.
 */
export function findStray(home: Home, name: ComponentName): ProcessIdentity | null {
  const mark = `${PART_VARIABLE}=${partOf(home, name)}`;
  const marked = readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    return Number.isInteger(pid) && isMarked(pid, mark) && leadsSession(pid) ? [pid] : [];
  });
  // Processes of Postgres carry the mark of the one that started them.
  const first = marked.find((pid) => !marked.includes(parentOf(pid)));
  return first === undefined ? null : identityOf(first);
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark);
  } catch {
    return false;
  }
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
