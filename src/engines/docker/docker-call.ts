import { MayhemError } from '../../model/error.js';

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'EACCES',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENOTSOCK',
]);

/** The engine's HTTP status of a failed call, or null when it never answered. */
export function statusOf(error: unknown): number | null {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}

/**
 * One call to the engine with a deadline, its errors told apart: `engine.unreachable` when it did not answer,
 * `engine.failed` when it answered no (details.status has its HTTP status).
 */
export async function dockerCall<T>(options: {
  readonly what: string;
  readonly where: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly call: (signal: AbortSignal) => Promise<T>;
}): Promise<T> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  try {
    return await Promise.race([options.call(signal), aborted(signal)]);
  } catch (error) {
    const status = statusOf(error);
    if (status !== null) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new MayhemError('engine.failed', `${options.what}: ${reason}`, { cause: error, details: { status } });
    }
    const code = (error as { code?: unknown } | null)?.code;
    if (timeout.aborted || (typeof code === 'string' && CONNECTION_ERRORS.has(code)) || isHangUp(error)) {
      const reason = timeout.aborted
        ? `no answer within ${options.timeoutMs} ms`
        : typeof code === 'string'
          ? code
          : 'connection closed';
      throw new MayhemError(
        'engine.unreachable',
        `Docker at ${options.where} does not answer (${reason}): ${options.what}`,
        {
          hint: 'start the engine, or point DOCKER_HOST at one that runs',
          cause: error,
        },
      );
    }
    throw new MayhemError(
      'engine.failed',
      `${options.what}: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** Rejects when the signal fires: some calls of the client take no signal. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

function isHangUp(error: unknown): boolean {
  return error instanceof Error && /socket hang up|aborted/.test(error.message);
}
