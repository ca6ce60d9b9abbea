import { ExitCode } from './exit-code.js';

/** A position in a document the user wrote. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Every error a user can meet: stable code → exit code. Codes are never renamed. */
export const errorCatalogue = {
  'usage.invalid': ExitCode.USAGE_ERROR,
  'command.ambiguous': ExitCode.AMBIGUOUS_COMMAND,
  'config.invalid': ExitCode.CONFIG_ERROR,
  'config.missing': ExitCode.CONFIG_ERROR,
  'document.missing': ExitCode.VALIDATION_ERROR,
  'document.invalid': ExitCode.VALIDATION_ERROR,
  'document.unsupported': ExitCode.VALIDATION_ERROR,
  'blueprint.missing': ExitCode.VALIDATION_ERROR,
  'blueprint.invalid': ExitCode.VALIDATION_ERROR,
  'blueprint.unsupported': ExitCode.VALIDATION_ERROR,
  'plan.invalid': ExitCode.VALIDATION_ERROR,
  'target.missing': ExitCode.VALIDATION_ERROR,
  'target.ambiguous': ExitCode.VALIDATION_ERROR,
  'target.drift': ExitCode.VALIDATION_ERROR,
  'environment.mismatch': ExitCode.VALIDATION_ERROR,
  'run.missing': ExitCode.VALIDATION_ERROR,
  'evidence.tampered': ExitCode.VALIDATION_ERROR,
  'safety.refused': ExitCode.SAFETY_REFUSAL,
  'capability.unsupported': ExitCode.SAFETY_REFUSAL,
  'lease.conflict': ExitCode.SAFETY_REFUSAL,
  'lease.closed': ExitCode.SAFETY_REFUSAL,
  'lease.late': ExitCode.SAFETY_REFUSAL,
  'lease.unknown': ExitCode.SAFETY_REFUSAL,
  'starts.stopped': ExitCode.SAFETY_REFUSAL,
  'starts.late': ExitCode.SAFETY_REFUSAL,
  'undo.unproven': ExitCode.RECOVERY_FAILURE,
  'agent.unreachable': ExitCode.AGENT_ERROR,
  'agent.locked': ExitCode.AGENT_ERROR,
  'agent.protocol': ExitCode.AGENT_ERROR,
  'journal.damaged': ExitCode.AGENT_ERROR,
  'temporal.unreachable': ExitCode.AGENT_ERROR,
  'database.unreachable': ExitCode.AGENT_ERROR,
  'database.schema': ExitCode.AGENT_ERROR,
  'database.full': ExitCode.AGENT_ERROR,
  'stack.failed': ExitCode.AGENT_ERROR,
  'engine.unreachable': ExitCode.TOOLKIT_ERROR,
  'engine.failed': ExitCode.TOOLKIT_ERROR,
  'tool.missing': ExitCode.TOOLKIT_ERROR,
  'internal.failed': ExitCode.GENERAL_FAILURE,
} as const satisfies Record<string, ExitCode>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface MayhemErrorOptions {
  /** What the user can do about it, in the imperative. */
  readonly hint?: string;
  readonly place?: Place;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error with a stable code, a place where there is one, and a remedy. Thrown by all our code for anything a user may meet. */
export class MayhemError extends Error {
  override readonly name = 'MayhemError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: MayhemErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.place = options.place;
    this.details = options.details ?? {};
  }

  get exitCode(): ExitCode {
    return errorCatalogue[this.code];
  }
}

/** Several problems found in one pass over the user's documents; all are shown at once. Its exit code is that of the first. */
export class MayhemErrors extends Error {
  override readonly name = 'MayhemErrors';
  readonly errors: readonly MayhemError[];

  constructor(errors: readonly MayhemError[]) {
    super(errors.map((e) => e.message).join('\n'));
    this.errors = errors;
  }

  get exitCode(): ExitCode {
    return this.errors[0]?.exitCode ?? ExitCode.GENERAL_FAILURE;
  }
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** For the end of an exhaustive switch: compiles only when every case is handled. */
export function assertNever(value: never): never {
  throw new MayhemError('internal.failed', `unexpected value ${JSON.stringify(value)}`);
}
