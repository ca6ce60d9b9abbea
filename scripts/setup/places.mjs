import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './setup-error.mjs';

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
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new SetupError(
      `the cache folder cannot be made: ${error instanceof Error ? error.message : String(error)}.`,
      {
        command: 'export XDG_CACHE_HOME=<a folder that you may write to>',
      },
    );
  }
  return folder;
}
