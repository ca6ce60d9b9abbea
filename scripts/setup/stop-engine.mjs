import { readFileSync } from 'node:fs';
import { bridgesOf, forgetNetwork } from './docker-network.mjs';
import { DEFAULT_HOST, endProcess, engineLogFile, enginePidFile, ownEngine } from './engine-process.mjs';
import { otherEngineUsers } from './engine-users.mjs';
import { withLock } from './lock.mjs';
import { isAlive, removePidFile, startTime } from './pid-file.mjs';
import { run, waitFor } from './process.mjs';

/** The label of a volume that claims a target for a fault in force. */
const CLAIM_LABEL = 'mayhem.lease';

/**
 * What keeps the engine from being stopped. A container that does not run is somebody's all the same, and
 * what the engine does not tell is taken for something.
 *
 * @param {{ users?: () => string[] }} [options]
 * @returns {Promise<string[]>} one line for each reason; empty when nobody needs it
 */
export async function whyEngineStays({ users = otherEngineUsers } = {}) {
  const containers = await list(['ps', '--all', '--format', '{{.State}} {{.Names}}']);
  const claims = await list([
    'volume',
    'ls',
    '--filter',
    `label=${CLAIM_LABEL}`,
    '--format',
    `{{.Name}} {{.Label "${CLAIM_LABEL}"}}`,
  ]);
  if (containers.problem || claims.problem) {
    return [`it does not say what it holds (${containers.problem ?? claims.problem})`];
  }
  const held = containers.lines
    .map((line) => line.split(' '))
    .filter(([state]) => state !== 'removing')
    .map(([state, name]) => `it holds container ${name} (${state})`);
  const claimed = claims.lines
    .map((line) => line.split(' '))
    .map(([volume, lease]) => `volume ${volume} is the claim of lease ${lease}, whose fault may be in force`);
  return [...held, ...claimed, ...users()];
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<{ lines: string[], problem?: string }>}
 */
async function list(args) {
  const { code, stdout, stderr } = await run('docker', ['--host', DEFAULT_HOST, ...args], { timeoutMs: 10_000 });
  if (code !== 0) return { lines: [], problem: stderr.trim().split('\n').at(-1) || `docker ended with ${code}` };
  return { lines: stdout.split('\n').filter(Boolean) };
}

/**
 * What became of the engine: `none` was ours, it was `stopped`, it was `left` because something needs it, or it is
 * `stuck` and does not end.
 *
 * @typedef {{ kind: 'none' | 'stopped' | 'left' | 'stuck', line: string }} TornDown
 */

/**
 * Stops the engine that this set-up started, and takes back the bridge and firewall chains that came with it.
 * Images, volumes and the engine's data stay. An engine started by somebody else is left alone, and so is one
 * of ours that anything needs. No set-up begins to count on it meanwhile: both hold the same lock.
 *
 * @param {{ users?: () => string[] }} [options]
 * @returns {Promise<TornDown>} with one line for the terminal
 */
export const tearDownEngine = (options) => withLock('setup', () => stop(options));

/**
 * @param {{ users?: () => string[] } | undefined} options
 * @returns {Promise<TornDown>}
 */
async function stop(options) {
  const engine = ownEngine();
  if (!engine) {
    removePidFile(enginePidFile());
    return { kind: 'none', line: 'docker engine: none that this set-up started' };
  }
  const bridges = await bridgesOf(DEFAULT_HOST);
  const containerd = childNamed(engine.pid, 'containerd');
  // Last of all before the signal, so that it is about now.
  const reasons = await whyEngineStays(options);
  if (reasons.length > 0) {
    return { kind: 'left', line: `docker engine (pid ${engine.pid}) left running: ${reasons.join('; ')}` };
  }
  const stopped = await endProcess(engine);
  const alone = !containerd || (await waitFor(() => !isAlive(containerd), { timeoutMs: 10_000 })) === true;
  if (!stopped || !alone) {
    return {
      kind: 'stuck',
      line: `docker engine (pid ${engine.pid}) did not end within 30 s; see ${engineLogFile()}`,
    };
  }
  await forgetNetwork(engine.network_before, bridges);
  removePidFile(enginePidFile());
  return { kind: 'stopped', line: 'docker engine stopped' };
}

/**
 * @param {number} parent
 * @param {string} command
 */
function childNamed(parent, command) {
  try {
    const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    for (const text of pids.filter(Boolean)) {
      const pid = Number(text);
      const started = startTime(pid);
      if (started && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === command) {
        return { pid, start_time: started };
      }
    }
  } catch {
    // it ended meanwhile
  }
  return undefined;
}
