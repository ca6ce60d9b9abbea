import { alignedTable, tableTime } from './aligned-table.js';

/** What the table of leases needs of one. */
export interface LeaseLine {
  readonly lease_id: string;
  readonly run_id: string;
  readonly fault: string;
  readonly target_name: string;
  readonly state: string;
  readonly deadline: string | null;
  readonly outcome: string | null;
  readonly released_by: string | null;
  /** The undo contract, e.g. `pause: unpause`, or the mechanism alone. */
  readonly undo: string;
}

/** Leases as a table, in the order given; times in UTC. */
export function leasesTable(leases: readonly LeaseLine[]): string {
  if (leases.length === 0) return 'no leases';
  return alignedTable({
    head: ['LEASE', 'RUN', 'FAULT', 'TARGET', 'STATE', 'DEADLINE', 'UNDO', 'OUTCOME', 'RELEASED BY'],
    rows: leases.map((lease) => [
      lease.lease_id,
      lease.run_id,
      lease.fault,
      lease.target_name,
      lease.state,
      tableTime(lease.deadline),
      lease.undo,
      lease.outcome,
      lease.released_by,
    ]),
  });
}
