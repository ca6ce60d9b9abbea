import { readFile } from 'node:fs/promises';

/**
 * True when this pid is a process of this container on this host: its control groups are named after the container. A socket that is
 * forwarded from elsewhere looks local, but its pids mean other processes here.
 */
export async function isProcessOf(options: { readonly pid: number; readonly containerId: string }): Promise<boolean> {
  const groups = await readFile(`/proc/${options.pid}/cgroup`, 'utf8').catch(() => '');
  return options.containerId.length >= 12 && groups.includes(options.containerId);
}
