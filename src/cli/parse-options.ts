import { Command, CommanderError, Option } from 'commander';
import { MayhemError } from '../model/error.js';
import type { CommandSpec, OptionSpec } from './command-spec.js';

/** Values by name as commander gives them: camel case, absent when not given. */
export interface ParsedOptions {
  readonly options: { readonly [name: string]: string | boolean | readonly string[] | undefined };
  readonly arguments: readonly (string | readonly string[] | undefined)[];
}

/** Parses what follows a command's name. Throws usage.invalid with the nearest option where there is one. */
export function parseOptions(options: {
  readonly command: CommandSpec;
  readonly name: string;
  readonly rootOptions: readonly OptionSpec[];
  readonly argv: readonly string[];
}): ParsedOptions {
  const { command } = options;
  const specs = [...options.rootOptions, ...(command.options ?? [])];
  const parser = new Command(options.name)
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
    .action(() => {});
  for (const spec of specs) parser.addOption(optionOf(spec));
  for (const argument of command.arguments ?? []) parser.argument(argument.usage, argument.summary);
  try {
    parser.parse([...options.argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(error, options.name);
    throw error;
  }
  const values = parser.opts<ParsedOptions['options']>();
  for (const spec of specs) {
    const option = optionOf(spec);
    // An option of the kind --no-x has a value always; one that is planned is never of that kind.
    if (spec.planned === true && values[option.attributeName()] !== undefined) {
      throw notSupported(`option ${option.long ?? option.flags}`);
    }
  }
  return { options: values, arguments: parser.processedArgs as ParsedOptions['arguments'] };
}

export function notSupported(what: string): MayhemError {
  return new MayhemError('usage.invalid', `${what} is not supported yet`, {
    hint: '`mayhem commands` shows what this version does.',
  });
}

function optionOf(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.summary);
  if (spec.choices !== undefined) option.choices([...spec.choices]);
  // After `choices`, which sets a parser of its own that a second value would overwrite.
  if (spec.repeatable === true)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

/** Commander's message is `error: <what>` and may end in `\n(Did you mean <option>?)`. */
function usageError(error: CommanderError, name: string): MayhemError {
  const [what, near] = error.message.replace(/^error: /, '').split('\n');
  const meant = near?.replace(/^\(|\)$/g, '');
  return new MayhemError('usage.invalid', (what ?? error.message).replace(/\.$/, ''), {
    hint: meant ?? `\`${['mayhem', name].join(' ').trim()} --help\` lists its options and arguments.`,
    cause: error,
  });
}
