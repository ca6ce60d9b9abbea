import { fileURLToPath } from 'node:url';
import { readVersion } from '../host/version.js';
import { MayhemError } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import { commandTable } from './command-table.js';
import type { CommandSpec } from './command-spec.js';
import { helpText } from './help.js';
import { type Format, Output } from './output.js';
import { resolveCommand, unknownCommand } from './resolve-command.js';
import { rootOptions } from './root-options.js';

const argv = process.argv.slice(2);
// Whoever reads us may stop early, as `head` does: that is no error of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(ExitCode.SUCCESS);
  throw error;
});
process.exit(await main());

async function main(): Promise<ExitCode> {
  const version = readVersion();
  let output = outputFor({ command: '', version });
  try {
    if (argv.includes('--version') && !argv.includes('--')) {
      process.stdout.write(`${version}\n`);
      return ExitCode.SUCCESS;
    }
    const asked = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
    const { path, rest, unknown } = resolveCommand({ table: commandTable, rootOptions, argv: asked });
    const name = path.map((step) => step.name).join(' ');
    output = outputFor({ command: name, version });
    const command = path.at(-1);
    const level = command === undefined ? commandTable : (command.subcommands ?? []);
    if (unknown !== null) throw await wrongWord({ rest, unknown, level, name });
    if (wantsHelp(rest) || (command === undefined && rest.length === 0)) {
      process.stdout.write(helpText({ path, table: commandTable, version }));
      return ExitCode.SUCCESS;
    }
    const { notSupported, parseOptions } = await import('./parse-options.js');
    if (command?.planned === true) throw notSupported(`\`mayhem ${name}\``);
    if (command?.load === undefined) throw await incomplete({ name, level, rest });
    const parsed = parseOptions({ command, name, rootOptions, argv: rest });
    const handler = await command.load();
    const entry = fileURLToPath(new URL('../../bin/mayhem', import.meta.url));
    const result = await handler.run({
      output,
      parsed,
      env: process.env,
      cwd: process.cwd(),
      uid: process.getuid?.() ?? -1,
      own: { node: process.execPath, entry, version },
    });
    return await output.result(result);
  } catch (error) {
    return await output.failure(error);
  }
}

/** The format must be known before the command line is parsed, since its errors are printed in it too. */
function outputFor(options: { readonly command: string; readonly version: string }): Output {
  const { env, stdout, stderr } = process;
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const given = own.findLast((word, index) => own[index - 1] === '--format' || word.startsWith('--format='));
  const named = given?.replace('--format=', '');
  const format: Format = own.includes('--json') || named === 'json' ? 'json' : named === 'yaml' ? 'yaml' : 'text';
  return new Output({
    ...options,
    format,
    color: !own.includes('--no-color'),
    debug: own.includes('--debug'),
    env,
    stdout,
    stderr,
  });
}

function wantsHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  return (end === -1 ? rest : rest.slice(0, end)).some((word) => word === '--help' || word === '-h');
}

/** A word that names no command may be the value of an option that is unknown itself: then that is what is wrong. */
async function wrongWord(options: {
  readonly rest: readonly string[];
  readonly unknown: string;
  readonly level: readonly CommandSpec[];
  readonly name: string;
}): Promise<Error> {
  const { level, name, rest, unknown } = options;
  const before = rest.slice(0, rest.indexOf(unknown));
  return (await optionError(name, before)) ?? unknownCommand({ level, word: unknown, parent: name });
}

async function incomplete(options: {
  readonly name: string;
  readonly level: readonly CommandSpec[];
  readonly rest: readonly string[];
}): Promise<Error> {
  const wrong = await optionError(options.name, options.rest);
  if (wrong !== null) return wrong;
  const names = options.level
    .filter((command) => command.planned !== true && command.hidden !== true)
    .map((c) => c.name);
  const what = options.name === '' ? 'no command was named' : `\`mayhem ${options.name}\` needs one of its commands`;
  return new MayhemError('usage.invalid', what, { hint: `There are: ${names.join(', ')}.` });
}

async function optionError(name: string, rest: readonly string[]): Promise<Error | null> {
  const { parseOptions } = await import('./parse-options.js');
  try {
    parseOptions({ command: { name, summary: '' }, name, rootOptions, argv: rest });
    return null;
  } catch (error) {
    return error as Error;
  }
}
