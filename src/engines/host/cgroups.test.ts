import { describe, expect, it } from 'vitest';
import { cgroupsOf, containerFolderOf, hasController, lineageOf, parseCgroupMounts, readCgroups } from './cgroups.js';

const ID = 'f'.repeat(64);
const V1 = parseCgroupMounts(
  [
    '31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
    '32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
    '33 31 0:30 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd',
    '34 31 0:31 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate',
    '35 31 0:32 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer',
  ].join('\n'),
);
const V2 = parseCgroupMounts('30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n');

describe('control groups', () => {
  it('are found in every hierarchy of version 1', () => {
    const groups = cgroupsOf({
      membership: `9:name=systemd:/docker/${ID}\n6:freezer:/docker/${ID}\n1:cpuacct,cpu:/docker/${ID}\n7:rdma:/\n0::/\n`,
      mounts: V1,
    });
    expect(groups.map(({ controllers, folder }) => [controllers, folder])).toEqual([
      ['name=systemd', `/sys/fs/cgroup/systemd/docker/${ID}`],
      ['freezer', `/sys/fs/cgroup/freezer/docker/${ID}`],
      ['cpuacct,cpu', `/sys/fs/cgroup/cpu,cpuacct/docker/${ID}`],
      ['', '/sys/fs/cgroup/unified/'],
    ]);
    expect(groups.map((group) => containerFolderOf(group, ID) !== null)).toEqual([true, true, true, false]);
    expect(groups.map((group) => hasController(group, 'cpu'))).toEqual([false, false, true, true]);
  });

  it('are found in the one hierarchy of version 2, down to where the container put its main process', () => {
    const [group] = cgroupsOf({ membership: `0::/system.slice/docker-${ID}.scope/init\n`, mounts: V2 });
    expect(group).toMatchObject({ folder: `/sys/fs/cgroup/system.slice/docker-${ID}.scope/init` });
    expect(containerFolderOf(group as never, ID)).toBe(`/sys/fs/cgroup/system.slice/docker-${ID}.scope`);
    expect(lineageOf(group as never)).toEqual([
      `/sys/fs/cgroup/system.slice/docker-${ID}.scope/init`,
      `/sys/fs/cgroup/system.slice/docker-${ID}.scope`,
      '/sys/fs/cgroup/system.slice',
    ]);
  });

  it('are left out where this namespace or mount does not show them', () => {
    const nested = parseCgroupMounts('30 23 0:26 /outer /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n');
    const folders = (membership: string) => cgroupsOf({ membership, mounts: nested }).map(({ folder }) => folder);
    expect(folders('0::/outer/inner')).toEqual(['/sys/fs/cgroup/inner']);
    expect(folders('0::/outermost/inner')).toEqual([]);
    expect(folders('0::/../sibling')).toEqual([]);
  });

  it('are read of a living process, and null of none', async () => {
    const groups = await readCgroups(process.pid);
    expect(groups?.some((group) => hasController(group, 'cpu'))).toBe(true);
    expect(await readCgroups(0)).toBeNull();
    expect(await readCgroups(2 ** 22 + 1)).toBeNull();
  });
});
