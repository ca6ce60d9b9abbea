import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.mjs';

let folder = '';
const cache = process.env.XDG_CACHE_HOME;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mayhem-lock-'));
  process.env.XDG_CACHE_HOME = folder;
});

afterEach(() => {
  if (cache === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = cache;
  rmSync(folder, { recursive: true });
});

test('nothing of a lock is left when its work is done or has failed', async () => {
  expect(await withLock('x', async () => 'done')).toBe('done');
  await expect(withLock('x', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(readdirSync(join(folder, 'mayhem'))).toEqual([]);
});

test('the lock of a process that died is taken over', async () => {
  const child = spawn('true');
  const { pid } = child;
  await once(child, 'exit');
  await withLock('x', async () => {});
  writeFileSync(join(folder, 'mayhem', 'x.lock'), JSON.stringify({ pid, start_time: '1' }));
  expect(await withLock('x', async () => 'taken over')).toBe('taken over');
});
