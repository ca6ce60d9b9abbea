import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isHostNetwork, namespacePathOf, openNetworkNamespace } from './network-namespace.js';
import { isPinned, pinNamespace, pinPathOf, unpinNamespace } from './pin.js';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('SKIPPED: pinning a network namespace needs root');

const signal = new AbortController().signal;
let root: string;
let child: ChildProcess;
let inode: string;

/** A process in namespaces of its own; returns when it is in them. */
async function unshared(flags: readonly string[]): Promise<ChildProcess> {
  const started = spawn('unshare', [...flags, 'sh', '-c', 'echo ready; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => started.stdout?.once('data', resolve));
  return started;
}

async function ended(process: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => process.once('exit', resolve));
  process.kill('SIGKILL');
  await exit;
}

describe.skipIf(!isRoot)('the pin of a network namespace', () => {
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'mayhem-pin-'));
    // Mounts below a shared one are copied to every mount namespace that listens.
    execFileSync('mount', ['-t', 'tmpfs', '--make-shared', 'tmpfs', root]);
    child = await unshared(['--net']);
    inode = String(statSync(namespacePathOf(child.pid as number)).ino);
  });
  afterEach(async () => {
    await ended(child);
    execFileSync('umount', ['--recursive', root]);
    rmSync(root, { recursive: true });
  });
  const pin = (folder: string) => pinNamespace({ folder, source: namespacePathOf(child.pid as number), inode, signal });

  it('keeps the namespace findable after its last process, and goes without a trace', async () => {
    const folder = join(root, 'pins', 'l-1');
    await pin(folder);
    await pin(folder);
    expect(await isPinned(folder)).toBe(true);
    await ended(child);
    child = await unshared(['--net']);
    const inside = await openNetworkNamespace({ inode, paths: [pinPathOf(folder)] });
    const { stdout } =
      (await inside?.run({ program: 'readlink', args: ['/proc/self/ns/net'], withinMs: 5_000, signal })) ?? {};
    expect(stdout?.trim()).toBe(`net:[${inode}]`);
    await inside?.close();

    await unpinNamespace({ folder, signal });
    await unpinNamespace({ folder, signal });
    expect(await isPinned(folder)).toBe(false);
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    expect(await openNetworkNamespace({ inode, paths: [pinPathOf(folder)] })).toBeNull();
  });

  it('appears in no other mount namespace, not even in one that gets what is mounted beside it', async () => {
    const listening = await unshared(['--mount', '--propagation', 'slave']);
    const seen = () =>
      readFileSync(`/proc/${listening.pid}/mountinfo`, 'utf8')
        .split('\n')
        .filter((line) => line.includes(root));
    const [folder, beside] = [join(root, 'l-2'), join(root, 'beside')];
    execFileSync('mkdir', [beside]);
    execFileSync('mount', ['--bind', namespacePathOf(child.pid as number).replace(/ns\/net$/, ''), beside]);
    await pin(folder);
    expect(seen().filter((line) => line.includes(beside))).toHaveLength(1);
    expect(seen().filter((line) => line.includes('nsfs'))).toEqual([]);
    await unpinNamespace({ folder, signal });
    expect(seen().filter((line) => line.includes(folder))).toEqual([]);
    await ended(listening);
  });

  it('is not made of another namespace than the one that is meant', async () => {
    const folder = join(root, 'l-3');
    const wrong = pinNamespace({ folder, source: namespacePathOf(process.pid), inode, signal });
    await expect(wrong).rejects.toMatchObject({ code: 'engine.failed' });
    expect(await isPinned(folder)).toBe(false);
  });

  it('is not needed to find a namespace that a process or a mount still holds', async () => {
    const found = await openNetworkNamespace({ inode, paths: ['/proc/1/ns/net', '/no/such/file', '/etc/hostname'] });
    expect(found?.inode).toBe(inode);
    await found?.close();
    expect(await isHostNetwork(inode)).toBe(false);
    expect(await isHostNetwork(String(statSync('/proc/self/ns/net').ino))).toBe(true);
  });
});
