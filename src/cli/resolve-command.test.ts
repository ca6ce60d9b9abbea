import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandSpec } from './command-spec.js';
import { commandTable } from './command-table.js';
import { resolveCommand } from './resolve-command.js';
import { rootOptions } from './root-options.js';

const resolve = (table: readonly CommandSpec[], argv: readonly string[]) =>
  resolveCommand({ table, rootOptions, argv });
const leaf = (name: string): CommandSpec => ({ name, summary: '' });
const only = (matches: readonly string[], asked: string) => (matches.includes(asked) ? asked : matches[0]);

/** The name of the command found, null for none, the message when the word is ambiguous. */
function answer(table: readonly CommandSpec[], word: string): string | null {
  try {
    return resolve(table, [word]).path[0]?.name ?? null;
  } catch (error) {
    return (error as Error).message;
  }
}

const name = fc.stringMatching(/^[a-d]{1,4}$/);

describe('resolving commands', () => {
  it('takes an exact name, else the only one that begins so, else none or all of several', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 8 }), name, (names, word) => {
        const table = names.map((one) => leaf(`x${one}`));
        const asked = `x${word}`;
        const matches = table.map((one) => one.name).filter((one) => one.startsWith(asked));
        const ambiguous = matches.length > 1 && !matches.includes(asked);
        const expected = ambiguous
          ? `"${asked}" is ambiguous: ${matches.sort().join(', ')}`
          : (only(matches, asked) ?? null);
        expect(answer(table, asked)).toBe(expected);
      }),
    );
  });

  it('finds the same command wherever root options with and without values stand', () => {
    const options = [['--json'], ['--config', 'run'], ['--set=a=b'], ['--no-color'], ['--set', 'inspect=1']];
    fc.assert(
      fc.property(fc.constantFrom(...options), fc.nat(2), (words, place) => {
        const argv = ['prepare', 'validate', 'x'].toSpliced(place, 0, ...words);
        const { path, rest } = resolve(commandTable, argv);
        expect(path.map((step) => step.name)).toEqual(['prepare', 'validate']);
        expect(rest.filter((word) => !words.includes(word))).toEqual(['x']);
      }),
    );
  });

  it('keeps the meaning of every prefix that was unique among the old names', () => {
    const old = ['campaign', 'commands', 'discover', 'doctor', 'experiment', 'extend', 'init', 'inspect', 'janitor'];
    old.push('maniac', 'prepare', 'recover', 'run', 'verify');
    for (const whole of old) {
      for (let length = 1; length <= whole.length; length++) {
        const prefix = whole.slice(0, length);
        if (old.filter((one) => one.startsWith(prefix)).length !== 1) continue;
        expect(resolve(commandTable, [prefix]).path[0]?.name).toBe(whole);
      }
    }
  });

  it('never takes what follows -- for a command', () => {
    expect(resolve(commandTable, ['--', 'run'])).toMatchObject({ path: [], rest: ['--', 'run'] });
  });
});
