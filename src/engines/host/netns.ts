import { stat } from 'node:fs/promises';

/**
 * Inode of a process's network namespace (namespaces(7): processes that share one have the same), as text; null when there is no such
 * process or it may not be read.
 */
export async function readNetns(pid: number): Promise<string | null> {
  if (pid <= 0) return null;
  try {
    return String((await stat(`/proc/${pid}/ns/net`)).ino);
  } catch {
    return null;
  }
}
