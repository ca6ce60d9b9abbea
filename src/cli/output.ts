import type { MayhemError } from '../model/error.js';
import { ExitCode } from '../model/exit-code.js';
import type { Notice } from '../model/notice.js';
import type { Palette } from '../report/palette.js';
import { printable } from '../report/printable.js';
import type { CommandResult } from './command-spec.js';
import { errorJson, errorsOf, errorText, exitCodeOf } from './error-text.js';
import { choosePalette } from './palette.js';

export type Format = 'text' | 'json' | 'yaml';

export interface OutputOptions {
  readonly format: Format;
  readonly color: boolean;
  readonly debug: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly command: string;
  readonly version: string;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * All that users read goes through here. In text, answers go to stdout, and progress, notices and errors to stderr; in JSON
 * and YAML one envelope goes to stdout and nothing else.
 */
export class Output {
  readonly #options: OutputOptions;
  readonly #notices: Notice[] = [];
  readonly #startedMs = performance.now();
  /** Of stdout. */
  readonly palette: Palette;
  readonly #errorPalette: Palette;
  #transient = '';
  #hasLines = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    const { color: wanted, env } = options;
    this.palette = choosePalette({ wanted, env, isTerminal: options.stdout.isTTY === true });
    this.#errorPalette = choosePalette({ wanted, env, isTerminal: options.stderr.isTTY === true });
  }

  get isText(): boolean {
    return this.#options.format === 'text';
  }

  get debug(): boolean {
    return this.#options.debug;
  }

  notices(notices: readonly Notice[]): void {
    for (const notice of notices) {
      this.#notices.push(notice);
      if (!this.isText) continue;
      const { level, message, place } = notice;
      const where = place === undefined ? '' : ` ${place.file}:${place.line}:${place.column}`;
      const label = level === 'warning' ? this.#errorPalette.yellow(level) : this.#errorPalette.dim(level);
      this.#toStderr(`${label}${where}: ${printable(message)}`);
    }
  }

  /** One step done on the way; stderr, text only. */
  progress(line: string): void {
    if (this.isText) this.#toStderr(this.#errorPalette.dim(line));
  }

  /** One line of a live answer; stdout, text only. */
  line(line: string): void {
    if (!this.isText) return;
    this.#clearTransient();
    this.#hasLines = true;
    this.#options.stdout.write(`${line}\n`);
  }

  /** A line that the next one replaces; on a terminal only. */
  transient(line: string): void {
    const { stdout } = this.#options;
    if (!this.isText || stdout.isTTY !== true || line === this.#transient) return;
    // A terminal that does not know its width says 0.
    stdout.write(`\r\u001b[2K${line.slice(0, (stdout.columns || 80) - 1)}`);
    this.#transient = line;
  }

  async result(result: CommandResult): Promise<ExitCode> {
    this.#clearTransient();
    const errors = (result.errors ?? []).flatMap(errorsOf);
    if (this.isText) {
      const gap = this.#hasLines ? '\n' : '';
      const end = result.text.endsWith('\n') ? '' : '\n';
      if (result.text !== '') this.#options.stdout.write(`${gap}${result.text}${end}`);
      this.#errorLines(errors);
    } else {
      await this.#envelope({ data: result.data, errors, exitCode: result.exitCode, refs: result.evidenceRefs ?? [] });
    }
    return result.exitCode;
  }

  /** For whatever a command threw; returns the exit code it stands for. */
  async failure(thrown: unknown): Promise<ExitCode> {
    this.#clearTransient();
    const errors = errorsOf(thrown);
    const exitCode = exitCodeOf(errors);
    if (this.isText) this.#errorLines(errors);
    else await this.#envelope({ data: null, errors, exitCode, refs: [] });
    return exitCode;
  }

  #errorLines(errors: readonly MayhemError[]): void {
    for (const error of errors) {
      this.#toStderr(errorText({ error, palette: this.#errorPalette, debug: this.debug }));
    }
  }

  async #envelope(options: {
    readonly data: unknown;
    readonly errors: readonly MayhemError[];
    readonly exitCode: ExitCode;
    readonly refs: readonly string[];
  }): Promise<void> {
    const { command, format, stdout, version } = this.#options;
    const { errors, exitCode } = options;
    const envelope = {
      status: errors.length > 0 ? 'error' : exitCode === ExitCode.SUCCESS ? 'ok' : 'failed',
      schema_version: '1.0',
      data: options.data,
      warnings: this.#notices,
      errors: errors.map(errorJson),
      evidence_refs: options.refs,
      meta: { command, version, exit_code: exitCode, duration_ms: Math.round(performance.now() - this.#startedMs) },
    };
    if (format === 'yaml') {
      const { stringify } = await import('yaml');
      stdout.write(stringify(envelope));
    } else {
      stdout.write(`${JSON.stringify(envelope, null, 2)}\n`);
    }
    if (this.debug) this.#errorLines(errors);
  }

  #toStderr(text: string): void {
    this.#clearTransient();
    this.#options.stderr.write(`${text}\n`);
  }

  #clearTransient(): void {
    if (this.#transient === '') return;
    this.#options.stdout.write('\r\u001b[2K');
    this.#transient = '';
  }
}
