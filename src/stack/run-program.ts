import { execFile } from 'node:child_process';

export interface ProgramResult {
  /** null: it could not be started, was killed, or missed its deadline. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, from an argument array. Never throws: what went wrong is in the result. */
export function runProgram(options: {
  readonly program: string;
  readonly args: readonly string[];
  readonly withinMs: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly stdin?: string;
}): Promise<ProgramResult> {
  const { program, args, withinMs, stdin, ...rest } = options;
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [...args],
      { ...rest, timeout: withinMs, killSignal: 'SIGKILL', maxBuffer: 4 << 20 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, stdout, stderr: stderr === '' && error !== null ? error.message : stderr });
      },
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(stdin ?? '');
  });
}
