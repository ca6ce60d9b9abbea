import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One control group a process is in: of one v1 hierarchy, or of the v2 one. */
export interface Cgroup {
  /** As in /proc/<pid>/cgroup, e.g. `cpu,cpuacct` or `name=systemd`; empty for the v2 hierarchy. */
  readonly controllers: string;
  /** Its path within the hierarchy. */
  readonly path: string;
  /** The folder it is seen at on this host. */
  readonly folder: string;
  /** The folder of the hierarchy's root on this host. */
  readonly mount: string;
}

/** Where one hierarchy is mounted, and which of its groups is the root of that mount. */
export interface CgroupMount {
  readonly version: 1 | 2;
  /** Controllers and `name=…` of a v1 hierarchy, among the mount's other options. */
  readonly options: readonly string[];
  readonly root: string;
  readonly point: string;
}

/**
 * The control groups of a process in every hierarchy that is mounted here; null when there is no such process. Source: cgroups(7),
 * /proc/<pid>/cgroup and proc_pid_mountinfo(5).
 */
export async function readCgroups(pid: number): Promise<readonly Cgroup[] | null> {
  if (pid <= 0) return null;
  const [membership, mounts] = await Promise.all([
    readKernelText(`/proc/${pid}/cgroup`),
    readFile('/proc/self/mountinfo', 'utf8'),
  ]);
  return membership === null ? null : cgroupsOf({ membership, mounts: parseCgroupMounts(mounts) });
}

/** Reads the text of a mountinfo file. Pure. */
export function parseCgroupMounts(text: string): readonly CgroupMount[] {
  return text.split('\n').flatMap((line) => {
    const fields = line.split(' ');
    const separator = fields.indexOf('-', 6);
    const [root, point] = [fields[3], fields[4]];
    const type = fields[separator + 1];
    if (separator === -1 || root === undefined || point === undefined) return [];
    if (type !== 'cgroup' && type !== 'cgroup2') return [];
    return [{ version: type === 'cgroup' ? 1 : 2, options: (fields[separator + 3] ?? '').split(','), root, point }];
  });
}

/** Finds the folder of each group in the text of a /proc/<pid>/cgroup file; those that are not mounted here are left out. Pure. */
export function cgroupsOf(options: {
  readonly membership: string;
  readonly mounts: readonly CgroupMount[];
}): readonly Cgroup[] {
  return options.membership.split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    // A path that climbs out of the root is of a group that this process's namespace does not show.
    if (controllers === undefined || path === undefined || path.split('/').includes('..')) return [];
    for (const mount of options.mounts) {
      const first = controllers.split(',')[0] as string;
      if (controllers === '' ? mount.version !== 2 : !mount.options.includes(first)) continue;
      const below = pathBelow(path, mount.root);
      if (below === null) continue;
      return [{ controllers, path, folder: join(mount.point, below), mount: mount.point }];
    }
    return [];
  });
}

function pathBelow(path: string, root: string): string | null {
  if (root === '/') return path;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

/** True when a group has this controller: always so for the v2 hierarchy, which has them all. */
export function hasController(cgroup: Pick<Cgroup, 'controllers'>, controller: string): boolean {
  return cgroup.controllers === '' || cgroup.controllers.split(',').includes(controller);
}

/** The group's own folder and those above it, nearest first, up to and without the root of the hierarchy. */
export function lineageOf(cgroup: Cgroup): readonly string[] {
  const folders: string[] = [];
  for (let folder = cgroup.folder; folder.length > cgroup.mount.length; folder = join(folder, '..'))
    folders.push(folder);
  return folders;
}

/**
 * The folder that is the container's own: up to the part of the path that names it. null when none does: the group is shared with others.
 * `docker/<id>`, `docker-<id>.scope` and what a container makes below count alike.
 */
export function containerFolderOf(cgroup: Cgroup, containerId: string): string | null {
  const own = lineageOf(cgroup).findLast((folder) => folder.split('/').at(-1)?.includes(containerId));
  return own ?? null;
}

/** Text of a kernel file; null when what it tells of is not there (any more), or has no such file. */
export async function readKernelText(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'ENODEV' || code === 'ENOTDIR') return null;
    throw error;
  }
}
