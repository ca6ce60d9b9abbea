import { ExitCode } from '../../model/exit-code.js';
import type { CommandResult, CommandSpec, OptionSpec } from '../command-spec.js';
import { commandTable } from '../command-table.js';
import { rootOptions } from '../root-options.js';

export async function run(): Promise<CommandResult> {
  const rows = flatten(commandTable, []);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const text = rows
    .filter(({ command }) => command.planned !== true)
    .map(({ command, name }) => `${name.padEnd(width)}  ${command.summary}`)
    .join('\n');
  const commands = rows.map(({ command, name }) => ({
    name,
    summary: command.summary,
    supported: command.planned !== true,
    arguments: (command.arguments ?? []).map(({ summary, usage }) => ({ usage, summary })),
    options: (command.options ?? []).map(optionJson),
  }));
  return { data: { root_options: rootOptions.map(optionJson), commands }, text, exitCode: ExitCode.SUCCESS };
}

function flatten(level: readonly CommandSpec[], above: readonly string[]): { name: string; command: CommandSpec }[] {
  return level
    .filter((command) => command.hidden !== true)
    .flatMap((command) => {
      const path = [...above, command.name];
      const below = flatten(command.subcommands ?? [], path);
      return command.subcommands === undefined ? [{ name: path.join(' '), command }] : below;
    });
}

function optionJson(option: OptionSpec): Readonly<Record<string, unknown>> {
  return {
    flags: option.flags,
    summary: option.summary,
    repeatable: option.repeatable === true,
    choices: option.choices ?? null,
    supported: option.planned !== true,
  };
}
