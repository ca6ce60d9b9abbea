import { MayhemError } from '../../model/error.js';
import type { UndoRecord } from '../../model/lease.js';

/** What our rules are named after: the lease's own number. Throws `lease.unknown` for an id that no lease of ours has. */
export function ruleNameOf(leaseId: string): string {
  const [, number] = /^l-([0-9a-f]{1,16})$/.exec(leaseId) ?? [];
  if (number === undefined) throw new MayhemError('lease.unknown', `${JSON.stringify(leaseId)} is no lease id`);
  return `mayhem_${number}`;
}

/**
 * The comment that each of our rules carries: whose it is, and until when. The time is the host's uptime, which no one can set; null: it
 * was kept in force on purpose. At most 128 characters (nft(8)).
 */
export function markOf(options: { readonly record: UndoRecord; readonly untilUptimeMs: number | null }): string {
  const { lease, installation_id: installationId } = options.record;
  const installation = installationId.replace(/[^A-Za-z0-9_.-]/g, '').slice(0, 40);
  return `mayhem lease=${lease.lease_id} installation=${installation} until=${options.untilUptimeMs ?? 'kept'}`;
}

/** The time that a mark tells, in milliseconds of uptime; null when it tells none. */
export function untilOf(mark: string): number | null {
  const [, until] = / until=(\d+)$/.exec(mark) ?? [];
  return until === undefined ? null : Number(until);
}
