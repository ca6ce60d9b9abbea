import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of system tools that a plain user's PATH lacks. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The path of a program on PATH or among the system's own; null when it is not installed. */
export async function findProgram(name: string): Promise<string | null> {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  for (const folder of new Set([...folders, ...SYSTEM_FOLDERS])) {
    const path = join(folder, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      continue;
    }
  }
  return null;
}
