import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorCatalogue } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import { commandTable } from './command-table.js';
import { cliReference } from './reference.js';
import { rootOptions } from './root-options.js';

const docs = (path: string) => new URL(`../../docs/${path}`, import.meta.url);

/** The rows of the first table whose head begins with this cell; cells without their back quotes. */
function tableRows(text: string, head: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} `));
  const rows: string[][] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  }
  return rows;
}

describe('the documentation', () => {
  it('of the command line is what the command table says (`npx vitest run src/cli/docs.test.ts -u` writes it anew)', async () => {
    const page = cliReference({ table: commandTable, rootOptions });
    await expect(page).toMatchFileSnapshot(docs('reference/cli.md').pathname);
  });

  it('of exit codes lists every code with its name', () => {
    const rows = tableRows(readFileSync(docs('exit-codes.md'), 'utf8'), 'exit code');
    expect(rows.map(([code, name]) => [Number(code), name])).toEqual(
      Object.entries(ExitCode).map(([name, code]) => [code, name]),
    );
  });

  it('of error codes lists every code of the catalogue with its exit code', () => {
    const rows = tableRows(readFileSync(docs('exit-codes.md'), 'utf8'), 'error code');
    expect(Object.fromEntries(rows.map(([code, exit]) => [code, Number(exit)]))).toEqual(errorCatalogue);
    expect(rows.every(([, , meaning]) => meaning !== undefined && meaning.length > 10)).toBe(true);
  });
});
