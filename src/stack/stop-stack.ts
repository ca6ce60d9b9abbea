import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { acceptsConnection } from './answers.js';
import { beatFileOf } from './beat.js';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';
import { removeFile } from './json-file.js';
import { notesFile } from './notes.js';
import { livingProcess, removePidFile } from './pid-file.js';
import { stopProcess } from './stop-process.js';
import { findStray } from './stray.js';
import { clearLock, lockHolder } from './supervisor-lock.js';

/** The signal each ends well by, and how long it gets. SIGINT is Postgres's fast shutdown (PostgreSQL documentation, 19.5). */
const STOP: { readonly [name in ComponentName]: { readonly signal: NodeJS.Signals; readonly killAfterMs: number } } = {
  worker: { signal: 'SIGTERM', killAfterMs: 10_000 },
  agent: { signal: 'SIGTERM', killAfterMs: 10_000 },
  temporal: { signal: 'SIGTERM', killAfterMs: 5000 },
  postgres: { signal: 'SIGINT', killAfterMs: 10_000 },
};

export interface Stopped {
  readonly name: ComponentName | 'supervisor';
  readonly pid: number;
  readonly how: 'gone' | 'stopped' | 'killed' | 'left';
}

/** Stops the supervisor, so that nothing it keeps comes back; its components go on. Null when none lives. */
export async function stopSupervisor(options: { readonly home: Home }): Promise<Stopped | null> {
  const { home } = options;
  const holder = lockHolder(home);
  const how = holder === null ? null : await stopProcess({ identity: holder, signal: 'SIGTERM', killAfterMs: 3000 });
  if (how !== 'left') {
    clearLock(home);
    removeFile(notesFile(home));
  }
  return holder === null || how === null ? null : { name: 'supervisor', pid: holder.pid, how };
}

/** Stops one component by its exact identity and removes what it leaves. Null when it was not running. */
export async function stopComponent(options: {
  readonly home: Home;
  readonly name: ComponentName;
}): Promise<Stopped | null> {
  const { home, name } = options;
  const process = livingProcess(home, name) ?? findStray(home, name);
  const how = process === null ? null : await stopProcess({ identity: process, ...STOP[name] });
  if (how === 'left' && process !== null) return { name, pid: process.pid, how };
  removePidFile(home, name);
  removeFile(beatFileOf(home, name));
  if (name === 'agent') await removeDeadSockets(home);
  return process === null || how === null ? null : { name, pid: process.pid, how };
}

async function removeDeadSockets(home: Home): Promise<void> {
  for (const name of existsSync(home.path) ? readdirSync(home.path) : []) {
    const path = join(home.path, name);
    if (!/^agent-.*\.sock$/.test(name)) continue;
    if (!(await acceptsConnection({ to: { path }, withinMs: 500 }))) removeFile(path);
  }
}
