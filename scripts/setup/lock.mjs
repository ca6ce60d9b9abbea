import { linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, readPidFile, startTime } from './pid-file.mjs';
import { cacheFolder } from './places.mjs';
import { waitFor } from './process.mjs';

/**
 * Holds a lock of this user while `work` runs, so that two set-ups at once do not install over each other. The
 * lock of a process that died is taken over.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, work) {
  const path = join(cacheFolder(), `${name}.lock`);
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, start_time: startTime(process.pid) ?? '' }));
  let held = false;
  const leave = () => {
    process.off('exit', leave);
    if (held) rmSync(path, { force: true });
    rmSync(own, { force: true });
  };
  process.once('exit', leave);
  try {
    const taken = await waitFor(() => take(own, path), { timeoutMs: 1_200_000, everyMs: 200 });
    if (!taken) throw new Error(`another set-up has held ${path} for 20 minutes`);
    held = true;
    return await work();
  } finally {
    leave();
  }
}

/**
 * link(2) fails when the name exists: the one atomic "create with content" there is.
 *
 * @param {string} own
 * @param {string} path
 */
function take(own, path) {
  try {
    linkSync(own, path);
    return true;
  } catch {
    const holder = readPidFile(path);
    // Where there is no /proc a dead holder cannot be told from a living one by its start time.
    const lives = holder && (process.platform === 'linux' ? isAlive(holder) : signals(holder.pid));
    if (holder && !lives) rmSync(path, { force: true });
    return false;
  }
}

/** @param {number} pid */
function signals(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
