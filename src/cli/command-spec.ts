import type { ExitCode } from '../model/exit-code.js';
import type { CommandContext } from './context.js';

/** One option, as data. `flags` in commander's notation: `-c, --compose <file>`, `--wait [time]`, `--detach`. */
export interface OptionSpec {
  readonly flags: string;
  readonly summary: string;
  readonly repeatable?: true;
  readonly choices?: readonly string[];
  /** Documented but not built yet: refused when it is used. */
  readonly planned?: true;
}

/** One positional argument, in commander's notation: `<spec>` required, `[spec]` optional, `[run...]` several. */
export interface ArgumentSpec {
  readonly usage: string;
  readonly summary: string;
}

/** What a command answers; main prints it in the chosen format. */
export interface CommandResult {
  /** The JSON envelope's `data`. */
  readonly data: unknown;
  /** For people; nothing is printed when empty. */
  readonly text: string;
  readonly exitCode: ExitCode;
  /** Errors to show beside the data. */
  readonly errors?: readonly Error[];
  /** Ids of what the evidence is stored under. */
  readonly evidenceRefs?: readonly string[];
}

export type CommandHandler = (context: CommandContext) => Promise<CommandResult>;

/** One command or group of commands, as data: help, parsing, documentation and `commands` all come from it. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly subcommands?: readonly CommandSpec[];
  /** Documented but not built yet: refused when it is called. */
  readonly planned?: true;
  /** For Mayhem's own processes; not shown. */
  readonly hidden?: true;
  readonly load?: () => Promise<{ readonly run: CommandHandler }>;
}
