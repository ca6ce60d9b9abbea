import { alignedTable, tableTime } from './aligned-table.js';

/** What the table of runs needs of one. */
export interface RunLine {
  readonly run_id: string;
  readonly status: string;
  readonly verdict: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
}

/** Runs as a table, in the order given; times in UTC. */
export function runsTable(runs: readonly RunLine[]): string {
  if (runs.length === 0) return 'no runs';
  return alignedTable({
    head: ['RUN', 'STATUS', 'VERDICT', 'CREATED', 'WALL'],
    rows: runs.map((run) => [run.run_id, run.status, run.verdict, tableTime(run.created_at), wall(run)]),
  });
}

function wall(run: RunLine): string | null {
  if (run.ended_at === null) return null;
  return `${((Date.parse(run.ended_at) - Date.parse(run.started_at ?? run.created_at)) / 1000).toFixed(1)}s`;
}
