import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, readPidFile, removePidFile, startTime, writePidFile } from './pid-file.mjs';
import { cacheFolder } from './places.mjs';
import { DEFAULT_HOST } from './engine-process.mjs';

const folder = () => cacheFolder('engine', 'users');

/**
 * Notes that this process counts on the engine, until it ends: nobody else's `--down` stops it meanwhile.
 *
 * @param {string} what for people
 */
export function noteEngineUse(what) {
  const path = join(folder(), `${process.pid}.json`);
  writePidFile(path, { pid: process.pid, start_time: startTime(process.pid) ?? '', what });
  process.once('exit', () => removePidFile(path));
}

/** @returns {string[]} one line for each living process besides this one that counts on the engine */
export const otherEngineUsers = () => [...noted(), ...seen()];

function noted() {
  const found = [];
  for (const name of readdirSync(folder())) {
    if (!name.endsWith('.json')) continue;
    const path = join(folder(), name);
    /** @type {import('./pid-file.mjs').ProcessName & { what: string } | undefined} */
    const user = readPidFile(path);
    if (user && isAlive(user)) {
      if (user.pid !== process.pid) found.push(`${user.what} uses it (pid ${user.pid})`);
    } else {
      removePidFile(path);
    }
  }
  return found;
}

/** Those that note nothing, found by what they run. */
function seen() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const what = userKind(read(`/proc/${pid}/cmdline`), `/proc/${pid}/cwd`);
      return what && meansThisEngine(read(`/proc/${pid}/environ`)) ? [`${what} (pid ${pid})`] : [];
    });
}

/**
 * @param {readonly string[]} argv
 * @param {string} cwd
 * @returns {string | undefined}
 */
function userKind(argv, cwd) {
  // Of any stack: through the engine it undoes what is in force.
  if (argv.some((text, at) => text.endsWith('/bin/mayhem') && argv[at + 1] === 'agent'))
    return 'a Mayhem agent uses it';
  // Tests and measurements come to need it from one moment to the next.
  const program = argv.slice(0, 2).find((text) => /(^|\/)(vitest(\.mjs)?|bench\/run\.mjs)$/.test(text));
  const ofMayhem = program && existsSync(join(cwd, 'scripts', 'setup', 'engine-users.mjs'));
  return ofMayhem ? `${program.endsWith('run.mjs') ? 'a measurement' : 'a test run'} of Mayhem uses it` : undefined;
}

/** @param {readonly string[]} environment */
function meansThisEngine(environment) {
  const host = environment.find((entry) => entry.startsWith('DOCKER_HOST='))?.slice('DOCKER_HOST='.length) ?? '';
  return host === '' || host === DEFAULT_HOST || host === DEFAULT_HOST.replace('/var/run/', '/run/');
}

/** @param {string} path of a list whose entries end with a zero byte */
function read(path) {
  try {
    return readFileSync(path, 'utf8').split('\0');
  } catch {
    return [];
  }
}
