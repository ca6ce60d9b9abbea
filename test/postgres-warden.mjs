/**
 * Watches over the test run's Postgres: when the run dies without tearing down (killed, crashed), its end of our standard input
 * closes; then the server is stopped and its folder removed. After a proper teardown there is nothing left to do.
 *
 * node postgres-warden.mjs FOLDER
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DEADLINE_MS = 10_000;
const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: postgres-warden.mjs FOLDER');

process.stdin.resume();
await new Promise((resolve) => process.stdin.once('close', resolve));

const pid = serverPid(join(folder, 'data', 'postmaster.pid'));
if (pid !== null) await stop(pid);
rmSync(folder, { recursive: true, force: true });

/** The first line of a data folder's postmaster.pid is its server's pid, as long as that runs. */
function serverPid(file) {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

/** SIGQUIT is Postgres's immediate shutdown. */
async function stop(pid) {
  const deadline = Date.now() + DEADLINE_MS;
  for (let signal = 'SIGQUIT'; Date.now() < deadline; signal = 0) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    await sleep(50);
  }
}
