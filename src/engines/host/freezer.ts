import { readFile } from 'node:fs/promises';

export type FreezerState = 'frozen' | 'freezing' | 'thawed';

/**
 * The cgroup freezer's state for a process's own cgroup, read from the kernel. null when it cannot be read, or when the
 * cgroup is not one of the container named (a pid of another host, or one used again since).
 * Sources: cgroup v1 freezer-subsystem (freezer.state), cgroup v2 (cgroup.events, key `frozen`).
 */
export async function readFreezer(options: {
  readonly pid: number;
  readonly containerId: string;
}): Promise<FreezerState | null> {
  if (options.pid <= 0) return null;
  const membership = await readText(`/proc/${options.pid}/cgroup`);
  if (membership === null) return null;
  for (const line of membership.trim().split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (path === undefined || !path.includes(options.containerId)) continue;
    if (controllers === 'freezer') return freezerV1(path);
    if (controllers === '') {
      const state = await freezerV2(path);
      if (state !== null) return state;
    }
  }
  return null;
}

async function freezerV1(path: string): Promise<FreezerState | null> {
  const text = await readText(`/sys/fs/cgroup/freezer${path}/freezer.state`);
  const state = text?.trim();
  return state === 'FROZEN' ? 'frozen' : state === 'FREEZING' ? 'freezing' : state === 'THAWED' ? 'thawed' : null;
}

async function freezerV2(path: string): Promise<FreezerState | null> {
  const text = await readText(`/sys/fs/cgroup${path}/cgroup.events`);
  const frozen = /^frozen (\d)$/m.exec(text ?? '')?.[1];
  return frozen === undefined ? null : frozen === '1' ? 'frozen' : 'thawed';
}

async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'ENODEV') return null;
    throw error;
  }
}
