import type { UndoReport } from '../model/lease.js';
import type { JournaledLease } from './journal-entry.js';

/** Undoes leases, newest first on each target, targets side by side. `leases` oldest first. */
export async function undoMany(
  leases: readonly JournaledLease[],
  undo: (lease: JournaledLease) => Promise<UndoReport>,
): Promise<readonly UndoReport[]> {
  const byTarget = new Map<string, JournaledLease[]>();
  for (const lease of leases) {
    const target = lease.record?.lease.target.container_id ?? lease.lease_id;
    byTarget.set(target, [...(byTarget.get(target) ?? []), lease]);
  }
  const chains = [...byTarget.values()].map(async (chain) => {
    const reports: UndoReport[] = [];
    for (const lease of chain.toReversed()) reports.push(await undo(lease));
    return reports;
  });
  return (await Promise.all(chains)).flat();
}
