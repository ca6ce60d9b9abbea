import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Reads a JSON file of our own; null when it is absent or not whole (a machine may have lost power while it was written). */
export function readJsonFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a JSON file whole or not at all, readable by its owner only. */
export function writeJsonFile(path: string, value: unknown): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
}
