import { isAlive, type ProcessIdentity, signalProcess } from '../host/process-identity.js';
import { waitUntil } from './wait-until.js';

/**
 * Ends one process: `signal` first, SIGKILL when it still lives after `killAfterMs`. Resolves when it is gone.
 * Returns how it ended; `left` when even SIGKILL did not end it within 5 s.
 */
export async function stopProcess(options: {
  readonly identity: ProcessIdentity;
  readonly signal: NodeJS.Signals;
  readonly killAfterMs: number;
}): Promise<'gone' | 'stopped' | 'killed' | 'left'> {
  const { identity } = options;
  const gone = () => !isAlive(identity);
  if (!signalProcess(identity, options.signal)) return 'gone';
  if (await waitUntil({ condition: gone, withinMs: options.killAfterMs, everyMs: 20 })) return 'stopped';
  signalProcess(identity, 'SIGKILL');
  return (await waitUntil({ condition: gone, withinMs: 5000, everyMs: 20 })) ? 'killed' : 'left';
}
