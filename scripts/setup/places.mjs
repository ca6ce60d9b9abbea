import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout these scripts belong to. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * A folder for what can be had again by downloading or building, made on first use.
 *
 * @param {...string} parts path below the cache folder
 * @returns {string}
 */
export function cacheFolder(...parts) {
  const named = process.env.XDG_CACHE_HOME;
  const base = named && isAbsolute(named) ? named : join(homedir(), '.cache');
  const folder = join(base, 'mayhem', ...parts);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
