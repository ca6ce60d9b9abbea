import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { run, which } from './process.mjs';
import { SetupError } from './setup-error.mjs';

/** @returns {boolean} */
export const isRoot = () => process.getuid?.() === 0;

/** @returns {boolean} whether packages may be installed from here without asking: root on Debian or a child of it */
export const mayInstallPackages = () => process.platform === 'linux' && isRoot() && which('apt-get') !== undefined;

const POLICY = '/usr/sbin/policy-rc.d';
const CREATE_CLUSTER = '/etc/postgresql-common/createcluster.d/mayhem-setup.conf';
const LOCK = ['-o', 'DPkg::Lock::Timeout=300'];
let listsAreFresh = false;

/** Fetches apt's package lists, once in the life of this process. A failure shows when something is installed. */
export async function refreshLists() {
  if (listsAreFresh) return;
  const updated = await run('apt-get', [...LOCK, '-qq', 'update'], { timeoutMs: 180_000 });
  listsAreFresh = updated.code === 0;
}

/**
 * Installs Debian packages without letting them start a service or create a database cluster.
 * Uses the apt configuration (mirrors, proxies) of the machine as it is.
 *
 * @param {readonly string[]} packages
 * @param {string} purpose completes "… is needed for"
 * @throws {SetupError} when not root on Debian, or when apt fails
 */
export async function installPackages(packages, purpose) {
  const command = `sudo apt-get install ${packages.join(' ')}`;
  if (!mayInstallPackages()) {
    const other = which('apt-get') ? '' : ' (or the same with your own package manager)';
    throw new SetupError(`${packages.join(', ')} needed for ${purpose}; not installed without root.`, {
      command: command + other,
    });
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await refreshLists();
  const undo = forbidServices();
  try {
    const args = [...LOCK, '-qq', '-y', '--no-install-recommends', 'install', ...packages];
    const installed = await run('apt-get', args, { env, timeoutMs: 600_000 });
    if (installed.code !== 0) {
      throw new SetupError(`apt-get could not install ${packages.join(', ')}, needed for ${purpose}.`, {
        command,
        detail: installed.stderr || installed.stdout,
      });
    }
  } finally {
    undo();
  }
}

/** Debian starts services and creates a cluster while installing; both are switched off for that time only. */
function forbidServices() {
  /** @type {string[]} */
  const written = [];
  if (!existsSync(POLICY)) {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    written.push(POLICY);
  }
  const made = mkdirSync(dirname(CREATE_CLUSTER), { recursive: true });
  writeFileSync(CREATE_CLUSTER, 'create_main_cluster = false\n');
  written.push(CREATE_CLUSTER);
  const undo = () => {
    process.off('exit', undo);
    for (const path of written) rmSync(path, { force: true });
    if (made) removeWhenEmpty(dirname(CREATE_CLUSTER));
  };
  process.once('exit', undo);
  return undo;
}

/** A folder that packages have put something into meanwhile stays. @param {string} folder */
function removeWhenEmpty(folder) {
  for (const path of [folder, dirname(folder)]) {
    try {
      rmdirSync(path);
    } catch {
      return;
    }
  }
}
