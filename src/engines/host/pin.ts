import { access, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { MayhemError } from '../../model/error.js';
import { readMounts } from './mounts.js';
import { isNamespaceAt } from './network-namespace.js';
import { runTool } from './run-tool.js';

const MOUNT_DEADLINE_MS = 5_000;

/** A lease's pin: the network namespace at `folder`/net stays findable after its processes are gone. */
interface PinOptions {
  /** The lease's own folder, whose parent may be mounted in any way. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

export function pinPathOf(folder: string): string {
  return join(folder, 'net');
}

/**
 * Bind-mounts the namespace at `source`, which must have this inode, at the pin (ip-netns(8) does the same). The folder is made a private mount
 * first: under a shared one the pin would appear in, and the namespace be kept alive by, other mount namespaces. Idempotent.
 */
export async function pinNamespace(
  options: PinOptions & { readonly source: string; readonly inode: string },
): Promise<void> {
  const pin = pinPathOf(options.folder);
  if (await isNamespaceAt(pin, options.inode)) return;
  await unpinNamespace(options);
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await run(options, 'mount', ['--bind', '--make-private', options.folder, options.folder]);
  await writeFile(pin, '', { mode: 0o600 });
  await run(options, 'mount', ['--bind', options.source, pin]);
  if (await isNamespaceAt(pin, options.inode)) return;
  await unpinNamespace(options);
  throw new MayhemError('engine.failed', `${options.source} is not the network namespace ${options.inode} any more`);
}

/** Takes the pin and its folder away. What is not there is no error. */
export async function unpinNamespace(options: PinOptions): Promise<void> {
  const mounted = await mountsOf(options.folder);
  // The last one first: a crash between the steps of pinning can have left one on the other.
  if (mounted.length > 0) await run(options, 'umount', ['--', ...mounted.toReversed()]);
  await rm(options.folder, { recursive: true, force: true });
}

/** True while anything of the pin is there. */
export async function isPinned(folder: string): Promise<boolean> {
  const there = await access(folder).then(
    () => true,
    () => false,
  );
  return there || (await mountsOf(folder)).length > 0;
}

/** Where something is mounted at the folder or below, in the order of mounting. */
async function mountsOf(folder: string): Promise<readonly string[]> {
  // The kernel tells true paths only.
  const parent = await realpath(dirname(folder)).catch(() => null);
  if (parent === null) return [];
  const path = join(parent, basename(folder));
  const points = (await readMounts()).map(({ point }) => point);
  return points.filter((point) => point === path || point.startsWith(`${path}/`));
}

async function run(options: PinOptions, program: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runTool({ program, args, withinMs: MOUNT_DEADLINE_MS, signal: options.signal });
  if (code !== 0) throw new MayhemError('engine.failed', `${program}: ${stderr.trim()}`);
}
