import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readKernelText } from '../../engines/host/cgroups.js';

const RETRY_MS = 10;

/**
 * Removes the groups of a container that is gone: while our processes were in them nobody else could. A group in which something lives stays.
 * A group may be busy for a moment after its last process died.
 */
export async function clearGroups(options: {
  readonly folders: readonly string[];
  readonly withinMs: number;
}): Promise<void> {
  const deadline = performance.now() + options.withinMs;
  for (const folder of options.folders) {
    while (!(await removeTree(folder)) && performance.now() < deadline && (await isEmpty(folder)))
      await delay(RETRY_MS);
  }
}

/** Those of the folders that still exist with nothing living in them. */
export async function leftGroups(folders: readonly string[]): Promise<readonly string[]> {
  const left: string[] = [];
  for (const folder of folders) if (await isEmpty(folder)) left.push(folder);
  return left;
}

/** True when it is gone. Only folders can be removed in this file system, and only empty groups. */
async function removeTree(folder: string): Promise<boolean> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
    await rmdir(folder);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return true;
    if (code === 'EBUSY' || code === 'ENOTEMPTY') return false;
    throw error;
  }
}

async function isEmpty(folder: string): Promise<boolean> {
  const processes = await readKernelText(join(folder, 'cgroup.procs'));
  return processes?.trim() === '';
}
