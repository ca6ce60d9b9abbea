import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { MayhemError } from '../model/error.js';

/**
 * A TCP port on 127.0.0.1 that nobody listens on. Taken from below Linux's range for outgoing connections (32768 and up,
 * ip(7) ip_local_port_range), so that no passing connection occupies it while its owner restarts.
 */
export async function freePort(options: { readonly except?: readonly number[] } = {}): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = randomInt(20_000, 32_000);
    if (options.except?.includes(port) !== true && (await isFree(port))) return port;
  }
  throw new MayhemError('stack.failed', 'no free port between 20000 and 32000 on 127.0.0.1');
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
