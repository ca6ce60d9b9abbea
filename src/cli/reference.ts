import type { CommandSpec, OptionSpec } from './command-spec.js';
import { isShown } from './help.js';

/** docs/reference/cli.md, whole: a page about every command that is built, made from the command table. */
export function cliReference(options: {
  readonly table: readonly CommandSpec[];
  readonly rootOptions: readonly OptionSpec[];
}): string {
  const planned = flatten(options.table, []).filter(({ command }) => command.planned === true);
  return `${[
    '# Command line',
    'This page is made from the command table in `src/cli/command-table.ts`; a test compares the two.',
    'Any unique prefix of a command works at every level (`mayhem prep val` is `mayhem prepare validate`); an exact name beats a prefix.' +
      ' A prefix that means several commands exits 10 and lists them. What each exit code means is in [exit-codes.md](../exit-codes.md).',
    '## Options before and after every command',
    optionTable([
      ...options.rootOptions,
      { flags: '-h, --help', summary: 'help for the command' },
      { flags: '--version', summary: 'the version' },
    ]),
    ...flatten(options.table, [])
      .filter(({ command }) => isShown(command))
      .map(({ command, name }) => commandSection(command, name)),
    '## Not built yet',
    'These are refused with exit code 2 and the words "not supported yet", never ignored.',
    planned.map(({ command, name }) => `- \`mayhem ${name}\`: ${command.summary}`).join('\n'),
  ].join('\n\n')}\n`;
}

function flatten(level: readonly CommandSpec[], above: readonly string[]): { name: string; command: CommandSpec }[] {
  return level
    .filter((command) => command.hidden !== true)
    .flatMap((command) => {
      const path = [...above, command.name];
      return command.subcommands === undefined
        ? [{ name: path.join(' '), command }]
        : flatten(command.subcommands, path);
    });
}

function commandSection(command: CommandSpec, name: string): string {
  const usage = ['mayhem', name, ...(command.arguments ?? []).map((argument) => argument.usage), '[options]'].join(' ');
  const planned = (command.options ?? []).filter((option) => option.planned === true);
  const parts = [`## mayhem ${name}`, `${capital(command.summary)}.`, `    ${usage}`];
  for (const argument of command.arguments ?? []) parts.push(`- \`${argument.usage}\`: ${argument.summary}`);
  const built = (command.options ?? []).filter((option) => option.planned !== true);
  if (built.length > 0) parts.push(optionTable(built));
  if (planned.length > 0) parts.push(`Not supported yet: ${planned.map(({ flags }) => `\`${flags}\``).join(', ')}.`);
  return parts.join('\n\n');
}

function optionTable(options: readonly OptionSpec[]): string {
  const rows = options.map((option) => {
    const notes = [
      option.summary,
      ...(option.choices === undefined ? [] : [`one of ${option.choices.join(', ')}`]),
      ...(option.repeatable === true ? ['repeatable'] : []),
      ...(option.planned === true ? ['not supported yet'] : []),
    ];
    return `| \`${option.flags}\` | ${notes.join('; ')} |`;
  });
  return ['| option | meaning |', '|---|---|', ...rows].join('\n');
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
