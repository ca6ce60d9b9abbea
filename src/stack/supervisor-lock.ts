import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.js';
import { readJsonFile } from './json-file.js';
import { identityOf, isAlive, type ProcessIdentity } from '../host/process-identity.js';

const pathOf = (home: Home) => join(home.run, 'supervisor.lock');

/** The living supervisor of this home; null when none holds the lock. */
export function lockHolder(home: Home): ProcessIdentity | null {
  const holder = readJsonFile<ProcessIdentity>(pathOf(home));
  return holder !== null && isAlive(holder) ? holder : null;
}

/**
 * Takes the lock for this process; false when a living one holds it. A hard link appears whole or not at all, so there is
 * never a lock without its holder's name. A dead holder's lock is moved aside and looked at again before it is thrown away,
 * since another may have taken it in between; who loses such a race sees it in `holdsLock`, asked again and again.
 */
export function takeLock(home: Home): boolean {
  const path = pathOf(home);
  const draft = `${path}.${process.pid}`;
  const aside = `${path}.stale.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identityOf(process.pid)), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      if (linked(draft, path)) return true;
      if (lockHolder(home) !== null) return false;
      if (!moved(path, aside)) continue;
      const found = readJsonFile<ProcessIdentity>(aside);
      if (found !== null && isAlive(found)) {
        linked(aside, path);
        return false;
      }
    }
    return false;
  } finally {
    rmSync(draft, { force: true });
    rmSync(aside, { force: true });
  }
}

export function holdsLock(home: Home): boolean {
  return lockHolder(home)?.pid === process.pid;
}

/** Removes the lock of this process, or of a dead one. */
export function clearLock(home: Home): void {
  const holder = lockHolder(home);
  if (holder === null || holder.pid === process.pid) rmSync(pathOf(home), { force: true });
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function moved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
