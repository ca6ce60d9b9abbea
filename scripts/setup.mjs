import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import { baseImage } from './setup/base-image.mjs';
import { build } from './setup/build.mjs';
import { composePlugin } from './setup/compose-plugin.mjs';
import { dockerEngine } from './setup/docker-engine.mjs';
import { engineIsOurs } from './setup/engine-process.mjs';
import { noteEngineUse } from './setup/engine-users.mjs';
import { hostTools } from './setup/host-tools.mjs';
import { withLock } from './setup/lock.mjs';
import { nodeModules } from './setup/node-modules.mjs';
import { nodeVersion } from './setup/node-version.mjs';
import { root } from './setup/places.mjs';
import { postgresql } from './setup/postgresql.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { runStep } from './setup/step.mjs';
import { temporal } from './setup/temporal.mjs';

export { tearDownEngine } from './setup/stop-engine.mjs';

/** In the order in which they are done. */
const steps = {
  node: nodeVersion,
  'node-modules': nodeModules,
  build,
  'host-tools': hostTools,
  postgresql,
  temporal,
  'docker-engine': dockerEngine,
  compose: composePlugin,
  'base-image': baseImage,
};

/** @typedef {keyof typeof steps} StepId */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Brings the machine to where Mayhem, its demo and its tests run. What is there is used; a second call
 * repeats nothing.
 *
 * @param {{ only?: readonly StepId[], log?: (line: string) => void }} [options]
 * @returns {Promise<NodeJS.ProcessEnv>} the environment for programs started afterwards
 * @throws {SetupError} when something is missing that must not be installed from here
 */
export async function setUp({ only, log = console.log } = {}) {
  // Leaving by process.exit runs what takes back temporary files and settings.
  const leave = () => process.exit(130);
  for (const signal of SIGNALS) process.once(signal, leave);
  try {
    return await withLock('setup', async () => {
      const env = { ...process.env };
      for (const [id, step] of Object.entries(steps)) {
        if (only && !only.includes(/** @type {StepId} */ (id))) continue;
        const asked = await runStep(step, log);
        Object.assign(env, asked);
        Object.assign(process.env, asked);
        if (id === 'docker-engine' && engineIsOurs())
          noteEngineUse(`${basename(process.argv[1] ?? 'node')} of ${root}`);
      }
      return env;
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
  }
}

/**
 * Looks for what is there, and changes nothing.
 *
 * @param {readonly StepId[]} only
 * @returns {Promise<{ missing: StepId[] }>} what is not; variables that the others ask for are set in this process
 */
export async function lookUp(only) {
  /** @type {StepId[]} */
  const missing = [];
  for (const id of only) {
    const present = await steps[id].check();
    if (present) Object.assign(process.env, present.env);
    else missing.push(id);
  }
  return { missing };
}

/**
 * Prints a failure of the set-up and gives the exit code for it.
 *
 * @param {unknown} error
 * @returns {number}
 */
export function explain(error) {
  if (error instanceof SetupError) {
    console.error(error.toText());
    return error.exitCode;
  }
  console.error(error);
  return 1;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const only = process.argv.slice(2);
  try {
    const unknown = only.filter((id) => !(id in steps));
    if (unknown.length > 0) {
      throw new SetupError(`unknown step ${unknown.join(', ')}; there are ${Object.keys(steps).join(', ')}.`);
    }
    await setUp(only.length > 0 ? { only: /** @type {StepId[]} */ (only) } : {});
  } catch (error) {
    process.exitCode = explain(error);
  }
}
