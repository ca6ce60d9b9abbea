import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { differences, readMachine } from './machine.mjs';

const checkout = process.cwd();

test('a process that carries the mark is seen, however it is called, until it is gone', async () => {
  const mark = `MAYHEM_TEST_RUN=${process.pid}-of-this-test`;
  const [name = '', value = ''] = mark.split('=');
  const before = await readMachine({ mark, checkout });
  const child = spawn('sleep', ['60'], { env: { ...process.env, [name]: value }, stdio: 'ignore' });
  await once(child, 'spawn');
  const during = await readMachine({ mark, checkout });
  expect(differences(before, during, { only: ['process'] })).toContain(`left behind: process ${child.pid} sleep 60`);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const after = await readMachine({ mark, checkout });
  expect(differences(before, after, { only: ['process'] }).filter((line) => line.includes(`${child.pid} `))).toEqual(
    [],
  );
});

test("a temporary file with Mayhem's name is seen", async () => {
  const before = await readMachine({ checkout });
  const folder = mkdtempSync(join(tmpdir(), 'mayhem-left-'));
  try {
    const after = await readMachine({ checkout });
    expect(differences(before, after, { only: ['file'] })).toContain(`left behind: file ${folder}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what is new is left behind, and a firewall rule that is gone was taken away', () => {
  const before = { nftables: new Set(['table inet theirs']), container: new Set(['1 web']), process: new Set(['7 x']) };
  const after = { nftables: new Set(), container: new Set(['2 mayhem-test']), process: new Set() };
  expect(differences(before, after)).toEqual([
    'taken away: nftables table inet theirs',
    'left behind: container 2 mayhem-test',
  ]);
});

test("the engine's identity may stay", () => {
  expect(differences({ volume: new Set() }, { volume: new Set(['mayhem-engine']) })).toEqual([]);
});

test('only the kinds asked for are compared', () => {
  expect(differences({}, { file: new Set(['/tmp/mayhem-x']) }, { only: ['mount'] })).toEqual([]);
});
