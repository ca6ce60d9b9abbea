import { MayhemError, MayhemErrors } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import type { Palette } from '../report/palette.js';
import { printable } from '../report/printable.js';

/** The errors inside whatever was thrown; something that is none of ours becomes internal.failed. */
export function errorsOf(thrown: unknown): readonly MayhemError[] {
  if (thrown instanceof MayhemErrors) return thrown.errors;
  if (thrown instanceof MayhemError) return [thrown];
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return [
    new MayhemError('internal.failed', `something that Mayhem did not expect: ${message}`, {
      hint: 'Run the command again with --debug and report what it prints.',
      cause: thrown,
    }),
  ];
}

export function exitCodeOf(errors: readonly MayhemError[]): ExitCode {
  return errors[0]?.exitCode ?? ExitCode.GENERAL_FAILURE;
}

/** One error for people: code, place, message, and below it the remedy; with `debug` the stack traces of it and its causes. */
export function errorText(options: {
  readonly error: MayhemError;
  readonly palette: Palette;
  readonly debug: boolean;
}): string {
  const { error, palette } = options;
  const place = error.place === undefined ? '' : ` ${error.place.file}:${error.place.line}:${error.place.column}`;
  const lines = [`${palette.red(`error[${error.code}]`)}${place}: ${printable(error.message)}`];
  if (error.hint !== undefined) lines.push(`  ${palette.dim('hint:')} ${printable(error.hint)}`);
  if (options.debug) {
    for (let at: unknown = error; at instanceof Error; at = at.cause) lines.push(at.stack ?? String(at));
  }
  return lines.join('\n');
}

/** One error as the JSON envelope carries it. */
export function errorJson(error: MayhemError): Readonly<Record<string, unknown>> {
  return {
    code: error.code,
    message: error.message,
    exit_code: error.exitCode,
    details: error.place === undefined ? error.details : { ...error.details, place: error.place },
    remediation: error.hint ?? null,
    evidence_ref: null,
  };
}
