import type { ArgumentSpec, CommandSpec, OptionSpec } from './command-spec.js';
import { rootOptions } from './root-options.js';

/** Help for the root, a group or a command; everything comes from the table. Ends with a line break. */
export function helpText(options: {
  readonly path: readonly CommandSpec[];
  readonly table: readonly CommandSpec[];
  readonly version: string;
}): string {
  const { path } = options;
  const command = path.at(-1);
  const name = ['mayhem', ...path.map((step) => step.name)].join(' ');
  const subcommands = command === undefined ? options.table : command.subcommands;
  const sections: string[] = [];
  if (subcommands !== undefined) {
    const shown = subcommands.filter(isShown);
    const about =
      command === undefined
        ? `mayhem ${options.version} runs chaos drills and proves that each fault ended`
        : command.summary;
    sections.push(`Usage: ${name} <command> [options]\n\n${capital(about)}.`);
    sections.push(
      section(
        'Commands',
        shown.map((sub) => [[sub.name, ...usages(sub)].join(' '), sub.summary]),
      ),
    );
  } else if (command !== undefined) {
    const words = [name, ...usages(command), '[options]'];
    sections.push(`Usage: ${words.join(' ')}\n\n${capital(command.summary)}.`);
    sections.push(
      section(
        'Arguments',
        (command.arguments ?? []).map((a) => [a.usage, a.summary]),
      ),
    );
    sections.push(section('Options', rows(command.options ?? [])));
  }
  sections.push(
    section('Options before and after every command', [
      ...rows(rootOptions),
      ['-h, --help', 'this help'],
      ['--version', 'the version'],
    ]),
  );
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

export function isShown(command: CommandSpec): boolean {
  if (command.hidden === true || command.planned === true) return false;
  return command.load !== undefined || (command.subcommands ?? []).some(isShown);
}

function usages(command: CommandSpec): string[] {
  return (command.arguments ?? []).map((argument: ArgumentSpec) => argument.usage);
}

function rows(options: readonly OptionSpec[]): (readonly [string, string])[] {
  return options
    .filter((option) => option.planned !== true)
    .map((option) => {
      const choices = option.choices === undefined ? '' : ` (${option.choices.join(', ')})`;
      const again = option.repeatable === true ? '; repeatable' : '';
      return [option.flags, `${option.summary}${choices}${again}`] as const;
    });
}

function section(title: string, lines: readonly (readonly [string, string])[]): string {
  if (lines.length === 0) return '';
  const width = Math.max(...lines.map(([left]) => left.length));
  return [`${title}:`, ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join('\n');
}

const capital = (text: string) => (text.startsWith('mayhem') ? text : text.charAt(0).toUpperCase() + text.slice(1));
