import { readFile } from 'node:fs/promises';

/** Milliseconds since the host booted, suspend included, in steps of 10 (proc_uptime(5)): no one can set it. */
export async function readUptimeMs(): Promise<number> {
  const [seconds] = (await readFile('/proc/uptime', 'utf8')).split(' ');
  return Math.round(Number(seconds) * 1000);
}

/** Identity of this boot of the host: pids and inodes of namespaces mean something under the same one only (random(4)). */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
}
