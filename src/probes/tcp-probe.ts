import { createConnection } from 'node:net';
import type { TcpProbe } from '../model/probe.js';
import type { ProbeResult } from './probe-result.js';
import type { ResolveHost } from './service-addresses.js';

/** Opens one TCP connection and closes it at once. Latency is the time to establish it, in milliseconds. */
export async function probeTcp(options: {
  readonly probe: TcpProbe;
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
}): Promise<ProbeResult> {
  const { probe } = options;
  const begun = performance.now();
  const result = (error: string | null): ProbeResult => ({
    status: null,
    latencyMs: performance.now() - begun,
    reachable: error === null,
    body: null,
    error,
  });
  let host: string;
  try {
    host = (await options.resolve(probe.host)) ?? probe.host;
  } catch (error) {
    return result((error as Error).message);
  }
  return new Promise((resolve) => {
    const socket = createConnection({ host, port: probe.port, signal: options.signal });
    const finish = (error: string | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result(error));
    };
    const timer = setTimeout(() => finish(`no connection within ${probe.timeout_ms} ms`), probe.timeout_ms);
    socket.once('connect', () => finish(null));
    socket.once('error', (error) =>
      finish(error.message || (error as NodeJS.ErrnoException).code || 'connection failed'),
    );
  });
}
