import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { docker, type Sleeper } from '../containers.js';

const CGROUPS = '/sys/fs/cgroup';
const run = promisify(execFile);

/** Starts a container that sleeps under a CPU quota of half a CPU, or what `host` says; looked at by this file's own readings only. */
export async function startLimited(
  options: { readonly image?: string; readonly host?: Docker.HostConfig; readonly user?: string } = {},
): Promise<Sleeper> {
  const name = `mayhem-test-${randomBytes(4).toString('hex')}`;
  const container = await docker.createContainer({
    Image: options.image ?? 'debian:bookworm-slim',
    Cmd: ['/bin/sleep', '3600'],
    name,
    Labels: { 'mayhem.test': '1' },
    StopTimeout: 0,
    ...(options.user === undefined ? {} : { User: options.user }),
    HostConfig: { CpuQuota: 50_000, CpuPeriod: 100_000, ...options.host },
  });
  await container.start();
  const info = await container.inspect();
  return {
    id: info.Id,
    name,
    startedAt: info.State.StartedAt,
    container,
    isPaused: async () => (await container.inspect()).State.Paused,
    remove: async () => {
      await container.remove({ force: true }).catch((error: { statusCode?: number }) => {
        if (error.statusCode !== 404) throw error;
      });
    },
  };
}

/** An image of one program and the libraries it is linked with: no shell, no tools, nothing else. */
export async function importSleepImage(): Promise<{ readonly name: string; readonly remove: () => Promise<void> }> {
  const name = `mayhem-test-sleep:${randomBytes(4).toString('hex')}`;
  const { stdout } = await run('ldd', ['/bin/sleep']);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map((match) => match[1] as string);
  const packed = await run('tar', ['-chf', '-', '/bin/sleep', ...libraries], {
    encoding: 'buffer',
    maxBuffer: 64 << 20,
  });
  const [repo, tag] = name.split(':') as [string, string];
  const imported = await docker.importImage(packed.stdout as unknown as string, { repo, tag });
  for await (const _ of imported as NodeJS.ReadableStream) void _;
  return { name, remove: async () => void (await docker.getImage(name).remove({ force: true })) };
}

/** Folders of a container's control groups, in every hierarchy of this host. */
export function groupFolders(containerId: string): readonly string[] {
  const found: string[] = [];
  const walk = (folder: string, depth: number) => {
    if (folder.includes(containerId)) return void found.push(folder);
    if (depth === 0) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) walk(join(folder, entry.name), depth - 1);
    }
  };
  walk(CGROUPS, 4);
  return found.sort();
}

/** CPU time that all processes of a container's groups have used, in nanoseconds. */
export function cpuUsedNs(containerId: string): number {
  for (const folder of groupFolders(containerId)) {
    if (existsSync(join(folder, 'cpuacct.usage'))) return Number(readFileSync(join(folder, 'cpuacct.usage'), 'utf8'));
    const stat = existsSync(join(folder, 'cpu.stat')) ? readFileSync(join(folder, 'cpu.stat'), 'utf8') : '';
    const usec = /^usage_usec (\d+)$/m.exec(stat)?.[1];
    if (usec !== undefined && !existsSync(join(CGROUPS, 'cpuacct'))) return Number(usec) * 1000;
  }
  throw new Error(`no CPU accounting for ${containerId}`);
}

/** The mean use of containers over a time, in CPUs, and how idle the host's CPUs were meanwhile (0 to 1). */
export async function measureCpu(
  containerIds: readonly string[],
  overMs: number,
): Promise<{ readonly cpus: readonly number[]; readonly idle: number }> {
  const before = containerIds.map(cpuUsedNs);
  const host = hostTicks();
  const begun = process.hrtime.bigint();
  await new Promise((resolve) => setTimeout(resolve, overMs));
  const tookNs = Number(process.hrtime.bigint() - begun);
  const after = containerIds.map(cpuUsedNs);
  const hostAfter = hostTicks();
  return {
    cpus: after.map((ns, index) => (ns - (before[index] as number)) / tookNs),
    idle: (hostAfter.idle - host.idle) / (hostAfter.all - host.all),
  };
}

function hostTicks(): { readonly idle: number; readonly all: number } {
  const [, ...fields] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] as string).split(/\s+/);
  const ticks = fields.map(Number);
  return { idle: (ticks[3] as number) + (ticks[4] as number), all: ticks.slice(0, 8).reduce((a, b) => a + b, 0) };
}

/** Living processes on this host whose environment has the text, with what they run. */
export function processesWith(text: string): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc').flatMap((entry) => {
    try {
      if (!/^\d+$/.test(entry) || !readFileSync(`/proc/${entry}/environ`, 'utf8').includes(text)) return [];
      if (/^State:\s+[ZX]/m.test(readFileSync(`/proc/${entry}/status`, 'utf8'))) return [];
      return [
        { pid: Number(entry), command: readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
      ];
    } catch {
      return [];
    }
  });
}

/** The control groups of a process, by controllers. */
export function groupsOf(pid: number): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(':').slice(1) as [string, string]));
}
