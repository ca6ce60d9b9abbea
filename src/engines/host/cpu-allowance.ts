import { join } from 'node:path';
import { type Cgroup, hasController, lineageOf, readKernelText } from './cgroups.js';

/** How much CPU time the processes of a group may use, in CPUs. */
export interface CpuAllowance {
  /** The smaller of the two below. */
  readonly cpus: number;
  /** The tightest quota of the group and those above it; null: none has one. */
  readonly quota_cpus: number | null;
  /** CPUs its processes may run on. */
  readonly cpuset_cpus: number;
}

/**
 * Reads the CPU allowance of a process's groups. Sources: kernel documentation, scheduler/sched-bwc (cpu.cfs_quota_us, cpu.cfs_period_us),
 * cgroup-v1/cpusets (cpuset.effective_cpus) and cgroup-v2 (cpu.max, cpuset.cpus.effective).
 */
export async function readCpuAllowance(cgroups: readonly Cgroup[]): Promise<CpuAllowance> {
  const [quotas, cpuset] = await Promise.all([
    Promise.all(
      cgroups
        .filter((group) => hasController(group, 'cpu'))
        .flatMap(lineageOf)
        .map(readQuota),
    ),
    readCpuset(cgroups),
  ]);
  const limits = quotas.filter((quota) => quota !== null);
  const quotaCpus = limits.length === 0 ? null : Math.min(...limits);
  return { cpus: Math.min(quotaCpus ?? cpuset, cpuset), quota_cpus: quotaCpus, cpuset_cpus: cpuset };
}

async function readQuota(folder: string): Promise<number | null> {
  const max = await readKernelText(join(folder, 'cpu.max'));
  if (max !== null) return quotaOf(max.trim().split(' '));
  const [quota, period] = await Promise.all([
    readKernelText(join(folder, 'cpu.cfs_quota_us')),
    readKernelText(join(folder, 'cpu.cfs_period_us')),
  ]);
  return quota === null || period === null ? null : quotaOf([quota.trim(), period.trim()]);
}

/** `max` (v2) and -1 (v1) mean no limit. */
function quotaOf([quota, period]: readonly string[]): number | null {
  const cpus = Number(quota) / Number(period);
  return Number.isFinite(cpus) && cpus > 0 ? cpus : null;
}

async function readCpuset(cgroups: readonly Cgroup[]): Promise<number> {
  const files = ['cpuset.cpus.effective', 'cpuset.effective_cpus', 'cpuset.cpus'];
  for (const group of cgroups.filter((candidate) => hasController(candidate, 'cpuset'))) {
    for (const folder of [...lineageOf(group), group.mount]) {
      for (const file of files) {
        const count = countCpus((await readKernelText(join(folder, file))) ?? '');
        if (count > 0) return count;
      }
    }
  }
  return countCpus((await readKernelText('/sys/devices/system/cpu/online')) ?? '') || 1;
}

/** How many CPUs a list such as `0-3,8` names (cpuset(7), list format). Pure. */
export function countCpus(list: string): number {
  let count = 0;
  for (const part of list.trim().split(',')) {
    const [, first, last] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    if (first !== undefined) count += Number(last ?? first) - Number(first) + 1;
  }
  return count;
}
