import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { MayhemError } from '../../model/error.js';
import { findProgram } from './find-program.js';
import { readMounts } from './mounts.js';
import { readNetns } from './netns.js';
import { runTool, type RunToolOptions, type ToolResult } from './run-tool.js';

/** A network to run programs of the host in; `run` throws as runTool does. */
export interface NetworkRunner {
  run(options: Omit<RunToolOptions, 'files'>): Promise<ToolResult>;
}

/** A network namespace held open: it cannot vanish, nor its inode come to mean another one, before `close`. */
export interface NetworkNamespace extends NetworkRunner {
  readonly inode: string;
  close(): Promise<void>;
}

/** Each run gets a new, empty network namespace (unshare(1)): to try what this kernel can do. */
export const scratchNetwork: NetworkRunner = {
  async run({ program, args, ...rest }) {
    return runTool({ ...rest, program: await programOf('unshare'), args: ['--net', '--', program, ...args] });
  },
};

/**
 * Opens the network namespace with this inode, wherever it can be found: at `paths` first (files of nsfs, a process's own), then among
 * all processes, then among all mounts. null: nothing holds it any more. What is opened is compared, not what was looked at
 * before, so that a reused pid is never entered.
 */
export async function openNetworkNamespace(options: {
  readonly inode: string;
  readonly paths: readonly string[];
}): Promise<NetworkNamespace | null> {
  for (const path of options.paths) {
    const found = await openAt(path, options.inode);
    if (found) return found;
  }
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || (await readNetns(Number(pid))) !== options.inode) continue;
    const found = await openAt(namespacePathOf(Number(pid)), options.inode);
    if (found) return found;
  }
  for (const mount of await readMounts()) {
    if (mount.root !== `net:[${options.inode}]`) continue;
    const found = await openAt(mount.point, options.inode);
    if (found) return found;
  }
  return null;
}

/** Where the kernel shows a process's network namespace (namespaces(7)). */
export function namespacePathOf(pid: number): string {
  return `/proc/${pid}/ns/net`;
}

/** True for the network of the host or of this very process: no fault of ours belongs there. */
export async function isHostNetwork(inode: string): Promise<boolean> {
  const own = await Promise.all([readNetns(1), readNetns(process.pid)]);
  return own.includes(inode);
}

/** True when the file at this path is the namespace with this inode, and not a plain file that happens to have its number. */
export async function isNamespaceAt(path: string, inode: string): Promise<boolean> {
  const found = await openAt(path, inode);
  await found?.close();
  return found !== null;
}

async function openAt(path: string, inode: string): Promise<NetworkNamespace | null> {
  const handle = await open(path, 'r').catch(() => null);
  if (handle === null) return null;
  try {
    const [there, own] = await Promise.all([handle.stat(), stat('/proc/self/ns/net')]);
    if (String(there.ino) === inode && there.dev === own.dev) return heldOpen(handle, inode);
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

function heldOpen(handle: FileHandle, inode: string): NetworkNamespace {
  return {
    inode,
    async run({ program, args, ...rest }) {
      return runTool({
        ...rest,
        program: await programOf('nsenter'),
        // Descriptor 3 of the tool is the namespace: no path can be exchanged on the way.
        args: ['--net=/proc/self/fd/3', '--', program, ...args],
        files: [handle.fd],
      });
    },
    close: () => handle.close(),
  };
}

async function programOf(name: 'nsenter' | 'unshare'): Promise<string> {
  const program = await findProgram(name);
  if (program !== null) return program;
  throw new MayhemError('tool.missing', `${name} is not installed on this host`, { hint: 'install util-linux' });
}
