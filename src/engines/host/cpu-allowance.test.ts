import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countCpus, readCpuAllowance } from './cpu-allowance.js';

let mount: string;

beforeEach(async () => {
  mount = await mkdtemp(join(tmpdir(), 'mayhem-cgroup-'));
});
afterEach(() => rm(mount, { recursive: true }));

async function files(given: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(given)) {
    await mkdir(dirname(join(mount, path)), { recursive: true });
    await writeFile(join(mount, path), `${text}\n`);
  }
}

const group = (controllers: string, path: string) => ({ controllers, path, folder: join(mount, path), mount });

describe('the CPU allowance', () => {
  it('of version 2 is the tightest quota of the group and those above it', async () => {
    await files({
      'slice/scope/cpu.max': 'max 100000',
      'slice/cpu.max': '150000 100000',
      'slice/scope/cpuset.cpus.effective': '0-7',
    });
    expect(await readCpuAllowance([group('', '/slice/scope')])).toEqual({ cpus: 1.5, quota_cpus: 1.5, cpuset_cpus: 8 });
    await files({ 'slice/scope/cpu.max': '50000 100000' });
    expect(await readCpuAllowance([group('', '/slice/scope')])).toMatchObject({ cpus: 0.5 });
  });

  it('of version 1 is read from the quota and period of the CPU hierarchy', async () => {
    await files({
      'docker/c/cpu.cfs_quota_us': '25000',
      'docker/c/cpu.cfs_period_us': '50000',
      'docker/cpu.cfs_quota_us': '-1',
      'docker/cpu.cfs_period_us': '100000',
    });
    const set = { 'docker/c/cpuset.cpus': '1,3', 'docker/c/cpuset.effective_cpus': '1' };
    await files(set);
    const groups = [group('cpu,cpuacct', '/docker/c'), group('cpuset', '/docker/c')];
    expect(await readCpuAllowance(groups)).toEqual({ cpus: 0.5, quota_cpus: 0.5, cpuset_cpus: 1 });
  });

  it('without a quota is what CPUs there are, and never more than those', async () => {
    await files({ 'c/cpu.max': 'max 100000', 'cpuset.cpus.effective': '0-2' });
    expect(await readCpuAllowance([group('', '/c')])).toEqual({ cpus: 3, quota_cpus: null, cpuset_cpus: 3 });
    await files({ 'c/cpu.max': '800000 100000' });
    expect(await readCpuAllowance([group('', '/c')])).toMatchObject({ cpus: 3, quota_cpus: 8 });
  });

  it('counts the CPUs of a list', () => {
    expect(['0', '0-3', '0-3,8', '1,3,5-6', '', '\n'].map(countCpus)).toEqual([1, 4, 5, 4, 0, 0]);
  });
});
