import { MayhemError } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import type { CommandSpec, OptionSpec } from './command-spec.js';

/** Root names of the command up to 0.8: a prefix that was unique among them keeps its meaning. */
const OLD_NAMES: readonly string[] = [
  ['campaign', 'commands', 'discover', 'doctor', 'experiment', 'extend', 'init', 'inspect'],
  ['janitor', 'maniac', 'prepare', 'recover', 'run', 'verify'],
].flat();

export interface ResolvedCommand {
  /** From the root down; empty when no command was named. */
  readonly path: readonly CommandSpec[];
  /** The command line without the words that named the command. */
  readonly rest: readonly string[];
  /** The word that names nothing, when there is one. */
  readonly unknown: string | null;
}

/**
 * Finds the command that a command line names: at each level an exact name, else a unique prefix. Options of the root may
 * stand before and between the words. Throws command.ambiguous with the matches.
 */
export function resolveCommand(options: {
  readonly table: readonly CommandSpec[];
  readonly rootOptions: readonly OptionSpec[];
  readonly argv: readonly string[];
}): ResolvedCommand {
  const { argv } = options;
  const path: CommandSpec[] = [];
  const rest: string[] = [];
  let level: readonly CommandSpec[] | undefined = options.table;
  let index = 0;
  for (; index < argv.length && level !== undefined; index++) {
    const word = argv[index] as string;
    if (word === '--') break;
    if (word.startsWith('-') && word !== '-') {
      rest.push(word);
      const value = argv[index + 1];
      if (takesValue(options.rootOptions, word) && value !== undefined) {
        rest.push(value);
        index++;
      }
      continue;
    }
    const found = match({ level, word, atRoot: path.length === 0, path });
    if (found === null) return { path, rest: [...rest, ...argv.slice(index)], unknown: word };
    path.push(found);
    level = found.subcommands;
  }
  return { path, rest: [...rest, ...argv.slice(index)], unknown: null };
}

/** Throws usage.invalid: no command of this name, with the nearest one and all there are. */
export function unknownCommand(options: {
  readonly level: readonly CommandSpec[];
  readonly word: string;
  readonly parent: string;
}): MayhemError {
  const names = options.level.filter((c) => c.hidden !== true && c.planned !== true).map((c) => c.name);
  const near = nearest({ word: options.word, candidates: names });
  const where = options.parent === '' ? '' : ` of \`${options.parent}\``;
  return new MayhemError('usage.invalid', `no command${where} is called "${options.word}"`, {
    hint: near === null ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  });
}

function match(options: {
  readonly level: readonly CommandSpec[];
  readonly word: string;
  readonly atRoot: boolean;
  readonly path: readonly CommandSpec[];
}): CommandSpec | null {
  const { level, word } = options;
  const exact = level.find((command) => command.name === word);
  if (exact !== undefined) return exact;
  if (word === '') return null;
  const matches = level.filter((command) => command.hidden !== true && command.name.startsWith(word));
  const old = options.atRoot ? OLD_NAMES.filter((name) => name.startsWith(word)) : [];
  const kept = old.length === 1 ? matches.find((command) => command.name === old[0]) : undefined;
  const only = kept ?? (matches.length === 1 ? matches[0] : undefined);
  if (only !== undefined) return only;
  if (matches.length === 0) return null;
  const names = matches.map((command) => command.name).sort();
  const whole = [...options.path.map((command) => command.name), word].join(' ');
  throw new MayhemError('command.ambiguous', `"${whole}" is ambiguous: ${names.join(', ')}`, {
    hint: 'Write more of the name.',
    details: { matches: names },
  });
}

function takesValue(options: readonly OptionSpec[], word: string): boolean {
  if (word.includes('=')) return false;
  return options.some(({ flags }) => flags.includes('<') && flags.split(/[ ,]+/).includes(word));
}
