import { spawn } from 'node:child_process';
import { MayhemError } from '../../model/error.js';

const LARGEST_OUTPUT = 4 << 20;

export interface ToolResult {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunToolOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdin?: string;
  /** Open files the tool finds at descriptor 3 and up. */
  readonly files?: readonly number[];
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs a tool of the host to its end, from an argument array. When the signal fires or the time is over it is killed, and only when it
 * is dead does this throw: nothing it did can land later. Throws `tool.missing`, `engine.failed` (too late, cut off).
 */
export function runTool(options: RunToolOptions): Promise<ToolResult> {
  const { program, args, withinMs } = options;
  const timeout = AbortSignal.timeout(withinMs);
  const signal = AbortSignal.any([options.signal, timeout]);
  return new Promise((resolve, reject) => {
    const fail = (problem: string, cause?: unknown) =>
      reject(new MayhemError('engine.failed', `${program} ${problem}`, { cause }));
    if (signal.aborted) return fail('was not started: it was called off', signal.reason);
    const input = options.stdin === undefined ? 'ignore' : 'pipe';
    const child = spawn(program, [...args], { stdio: [input, 'pipe', 'pipe', ...(options.files ?? [])] });
    const kill = () => child.kill('SIGKILL');
    signal.addEventListener('abort', kill, { once: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let size = 0;
    const keep = (chunks: Buffer[]) => (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_OUTPUT) kill();
      else chunks.push(chunk);
    };
    child.stdout?.on('data', keep(out));
    child.stderr?.on('data', keep(err));
    // A tool that ends without reading is no error of its own.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.stdin);
    child.on('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', kill);
      if (error.code === 'ENOENT') {
        reject(new MayhemError('tool.missing', `${program} is not installed on this host`, { cause: error }));
      } else fail(`could not be started: ${error.message}`, error);
    });
    child.on('close', (code) => {
      signal.removeEventListener('abort', kill);
      if (timeout.aborted) return fail(`did not end within ${withinMs} ms`);
      if (signal.aborted) return fail('was cut off', signal.reason);
      if (size > LARGEST_OUTPUT) return fail(`wrote more than ${LARGEST_OUTPUT} bytes`);
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
  });
}
