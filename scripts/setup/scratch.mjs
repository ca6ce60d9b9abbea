import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives `work` an empty folder and removes it afterwards, also when this process is told to end meanwhile.
 *
 * @template T
 * @param {string} purpose part of the folder's name
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withScratch(purpose, work) {
  const folder = mkdtempSync(join(tmpdir(), `mayhem-${purpose}-`));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
