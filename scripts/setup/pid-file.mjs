import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * When a process started, in clock ticks since boot (proc(5), field 22 of /proc/PID/stat). With the pid it
 * names one process for good: pids are used again.
 *
 * @param {number} pid
 * @returns {string | undefined} undefined when no such process lives (a zombie counts as dead)
 */
export function startTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/**
 * @typedef {{ pid: number, start_time: string }} ProcessName
 */

/**
 * @param {ProcessName} name
 * @returns {boolean}
 */
export const isAlive = (name) => startTime(name.pid) === name.start_time;

/**
 * Reads a JSON file that names a process.
 *
 * @template {ProcessName} T
 * @param {string} path
 * @returns {T | undefined} undefined when the file is missing or unreadable
 */
export function readPidFile(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {string} path
 * @param {ProcessName & Record<string, unknown>} value
 */
export function writePidFile(path, value) {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, '\t')}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** @param {string} path */
export const removePidFile = (path) => rmSync(path, { force: true });
