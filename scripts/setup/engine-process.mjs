import { join } from 'node:path';
import { isAlive, readPidFile } from './pid-file.mjs';
import { cacheFolder } from './places.mjs';
import { waitFor } from './process.mjs';

/** Where an engine that this set-up starts answers. */
export const DEFAULT_HOST = 'unix:///var/run/docker.sock';

export const enginePidFile = () => join(cacheFolder('engine'), 'dockerd.json');
export const engineLogFile = () => join(cacheFolder('engine'), 'dockerd.log');

/**
 * @typedef {import('./pid-file.mjs').ProcessName & { network_before: import('./docker-network.mjs').NetworkBefore }} OwnEngine
 */

/** @returns {OwnEngine | undefined} the living engine that this set-up started, now or earlier */
export function ownEngine() {
  const ours = /** @type {OwnEngine | undefined} */ (readPidFile(enginePidFile()));
  return ours && isAlive(ours) ? ours : undefined;
}

/** @returns {boolean} whether the engine that runs here was started by this set-up, now or earlier */
export const engineIsOurs = () => ownEngine() !== undefined;

/**
 * Ends a process with SIGTERM and waits until it is gone.
 *
 * @param {import('./pid-file.mjs').ProcessName} name
 * @returns {Promise<boolean>} false when it still lives after 30 s
 */
export async function endProcess(name) {
  process.kill(name.pid, 'SIGTERM');
  return (await waitFor(() => !isAlive(name), { timeoutMs: 30_000 })) === true;
}
