import type { JournaledLease } from './journal-entry.js';

/** When the agent ends an open lease by itself, in milliseconds since boot. A lease of an earlier boot is due at once. Pure. */
export function dueAtBootMs(options: {
  readonly lease: JournaledLease;
  readonly bootId: string;
  /** When an undo that failed is to be tried again; null: none failed under this agent. */
  readonly retryAtBootMs: number | null;
}): number {
  const { lease, retryAtBootMs } = options;
  if (lease.state === 'kept') return Number.POSITIVE_INFINITY;
  if (lease.undo_report && retryAtBootMs !== null) return retryAtBootMs;
  if (lease.boot_id !== options.bootId) return 0;
  return lease.deadline_boot_ms + (lease.record?.lease.grace_ms ?? 0);
}
