import { randomBytes } from 'node:crypto';
import type { Config } from '../model/config.js';
import { freePort, isFree } from './free-port.js';
import type { Home } from './home.js';
import { livingProcess } from './pid-file.js';
import { findStray } from './stray.js';
import { readStackFile, type StackFile, writeStackFile } from './stack-file.js';
import { waitUntil } from './wait-until.js';

/**
 * Decides where the parts of the stack listen, and writes it down. What was decided once stays, so that everything
 * reconnects after a restart; only a port that a stranger has taken while nothing of ours was running is chosen anew.
 * To be called by the holder of the supervisor's lock alone.
 */
export async function settleStack(options: { readonly home: Home; readonly config: Config }): Promise<StackFile> {
  const { config, home } = options;
  const before = readStackFile(home);
  const keep = async (name: 'postgres' | 'temporal', port: number | undefined, except: readonly number[]) => {
    if (port === undefined) return freePort({ except });
    const ours = () => livingProcess(home, name) !== null || findStray(home, name) !== null;
    // What was killed a moment ago may hold its port a little longer.
    const usable = await waitUntil({ condition: async () => ours() || (await isFree(port)), withinMs: 2000 });
    return usable ? port : freePort({ except });
  };
  const postgresPort = await keep('postgres', before?.postgres.port, []);
  const temporalPort = await keep('temporal', before?.temporal.port, [postgresPort]);
  const password = before?.postgres.password ?? randomBytes(24).toString('hex');
  const stack: StackFile = {
    schema: 'mayhem/stack/v1',
    postgres: { port: postgresPort, password },
    temporal: { port: temporalPort },
    configured: { database_url: config.database_url, temporal_address: config.temporal.address },
    namespace: config.temporal.namespace,
    task_queue: config.temporal.task_queue,
  };
  writeStackFile(home, stack);
  return stack;
}
