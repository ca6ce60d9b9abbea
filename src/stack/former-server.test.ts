import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identityOf } from '../host/process-identity.js';
import { untilServerIsGone } from './former-server.js';
import { waitUntil } from './wait-until.js';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'mayhem-former-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

it('an empty folder is in nobody’s way, and so is the pid of a process that is gone for good', async () => {
  expect(await untilServerIsGone({ data, withinMs: 0 })).toBe(true);
  writeFileSync(join(data, 'postmaster.pid'), '4194305\n/data\n');
  expect(await untilServerIsGone({ data, withinMs: 0 })).toBe(true);
});

it('a child of the server is waited for until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    cwd: data,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  expect(await untilServerIsGone({ data, withinMs: 100 })).toBe(false);
  const gone = untilServerIsGone({ data, withinMs: 30_000 });
  child.kill('SIGKILL');
  expect(await gone).toBe(true);
});

it('the unreaped remains of a server are waited for', async () => {
  // The shell replaces itself by a program that never waits for the child it has.
  const script = 'sleep 0 & echo $!; exec sleep 600';
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
  await waitUntil({ condition: async () => identityOf(pid) === null, withinMs: 30_000 });
  writeFileSync(join(data, 'postmaster.pid'), `${pid}\n`);
  expect(await untilServerIsGone({ data, withinMs: 100 })).toBe(false);
  const gone = untilServerIsGone({ data, withinMs: 60_000 });
  parent.kill('SIGKILL');
  expect(await gone).toBe(true);
}, 90_000);
