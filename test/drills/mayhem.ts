import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/mayhem', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started `mayhem`: the built program, in a process of its own. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  output(): string;
  readonly finished: Promise<Finished>;
}

export interface Where {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts the built program; it is ended by force after three minutes. */
export function start(args: readonly string[], where: Where): Started {
  return startScript(BIN, args, where);
}

/** Starts a script of the tests by node, watched as the built program is. */
export function startScript(script: string, args: readonly string[], where: Where): Started {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: where.cwd,
    env: where.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (stderr += String(chunk)));
  const timer = setTimeout(() => child.kill('SIGKILL'), 180_000);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
  return { child, pid: child.pid as number, output: () => stdout + stderr, finished };
}

export function run(args: readonly string[], where: Where): Promise<Finished> {
  return start(args, where).finished;
}

/** Runs with `--json` and reads the envelope; fails loudly when stdout is anything else. */
export async function runJson(
  args: readonly string[],
  where: Where,
): Promise<{ readonly code: number | null; readonly envelope: Envelope }> {
  const finished = await run([...args, '--json'], where);
  try {
    return { code: finished.code, envelope: JSON.parse(finished.stdout) as Envelope };
  } catch {
    throw new Error(`no JSON on stdout of mayhem ${args.join(' ')}:\n${finished.stdout}\n${finished.stderr}`);
  }
}

/** The envelope's data; throws with its errors when there is none, so that a failed test says why. */
export function answered(envelope: Envelope): Envelope['data'] {
  if (envelope.data === null) throw new Error(`mayhem answered with an error: ${JSON.stringify(envelope)}`);
  return envelope.data;
}

export interface Envelope {
  readonly status: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever is there
  readonly data: any;
  readonly errors: readonly { readonly code: string; readonly message: string; readonly exit_code: number }[];
}

/** True while the process lives (a zombie does not). */
export function lives(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
