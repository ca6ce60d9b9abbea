import { printable } from './printable.js';

/** Columns aligned left, two spaces apart, under a head; no blanks at the ends of lines and no newline at the end. */
export function alignedTable(options: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}): string {
  const lines = [options.head, ...options.rows.map((row) => row.map((cell) => printable(cell ?? '-')))];
  const widths = options.head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A time as tables show it, in UTC, to the second. */
export function tableTime(at: string | null): string | null {
  return at === null ? null : `${at.slice(0, 10)} ${at.slice(11, 19)}`;
}
