import { join } from 'node:path';
import { readBootId } from '../../engines/host/boot.js';
import {
  isHostNetwork,
  namespacePathOf,
  type NetworkNamespace,
  openNetworkNamespace,
} from '../../engines/host/network-namespace.js';
import { pinPathOf } from '../../engines/host/pin.js';
import { MayhemError } from '../../model/error.js';
import type { LeaseSpec, UndoRecord } from '../../model/lease.js';
import type { ActContext } from '../mechanism.js';

/**
 * The record's namespace: by the lease's pin, by the process that was in it (what is opened is compared), or wherever it is held; null: it is gone.
 * Whatever a record says, the host's own network is never entered.
 */
export async function openTarget(context: ActContext, record: UndoRecord): Promise<NetworkNamespace | null> {
  const inode = netnsOf(record);
  const { boot_id: bootId, pid } = record.recipe;
  // Namespaces do not outlive the boot they were made in; their numbers come again.
  if (bootId !== (await readBootId()) || (await isHostNetwork(inode))) return null;
  const paths = [pinPathOf(pinFolderOf(context, record.lease))];
  if (typeof pid === 'number') paths.push(namespacePathOf(pid));
  return openNetworkNamespace({ inode, paths });
}

/** The namespace that a restarted target is in now. */
export async function openPresent(inode: string, pid: number): Promise<NetworkNamespace | null> {
  return (await isHostNetwork(inode)) ? null : openNetworkNamespace({ inode, paths: [namespacePathOf(pid)] });
}

/** Does the work and closes what was opened, whatever comes. */
export async function within<T>(
  inside: NetworkNamespace | null,
  work: (inside: NetworkNamespace | null) => Promise<T>,
): Promise<T> {
  try {
    return await work(inside);
  } finally {
    await inside?.close();
  }
}

/** The lease's own folder among the agent's pins. */
export function pinFolderOf(context: ActContext, lease: LeaseSpec): string {
  return join(context.pins, lease.lease_id);
}

/** Inode of the namespace that the record is about. Throws `lease.unknown` when it names none. */
export function netnsOf(record: UndoRecord): string {
  const { netns } = record.recipe;
  if (typeof netns === 'string' && /^\d+$/.test(netns)) return netns;
  throw new MayhemError('lease.unknown', `the record of ${record.lease.lease_id} names no network namespace`);
}
