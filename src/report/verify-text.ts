import { printable } from './printable.js';

/** The outcome of a verification: what was checked, and one line for each problem with its row. */
export function verifyText(options: {
  readonly runId: string;
  readonly report: {
    readonly ok: boolean;
    readonly checked: { readonly [table: string]: number };
    readonly problems: readonly { readonly what: string; readonly where: string }[];
  };
}): string {
  const { report, runId } = options;
  const counts = Object.entries(report.checked)
    .map(([table, count]) => `${count} ${table.replaceAll('_', ' ')}`)
    .join(', ');
  const problems = report.problems.map((problem) => `- ${printable(`${problem.where}: ${problem.what}`)}`);
  const head = report.ok
    ? `run ${runId}: evidence is whole (${counts})`
    : `run ${runId}: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'} in its evidence (${counts})`;
  return [head, ...problems].join('\n');
}
