import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from './home.js';

const ROTATE_AT_BYTES = 10 << 20;

export function logFileOf(home: Home, name: string): string {
  return join(home.logs, `${name}.log`);
}

/** Opens a log for appending, for a child's output; one that has grown past 10 MiB is put aside as `.1` first. */
export function openLog(home: Home, name: string): number {
  const path = logFileOf(home, name);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** The last lines of a log that are not empty; none when it cannot be read. */
export function lastLines(options: { readonly path: string; readonly count: number }): string[] {
  let file: number;
  try {
    file = openSync(options.path, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, 8192));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').split('\n');
    return lines.filter((line) => line.trim() !== '').slice(-options.count);
  } finally {
    closeSync(file);
  }
}
