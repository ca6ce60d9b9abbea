import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { findMarked, killMarked, readCpuNs } from './marked-processes.js';

const mark = { name: 'MAYHEM_LEASE', value: `l-${randomBytes(6).toString('hex')}` };

afterEach(async () => {
  await killMarked({ mark, withinMs: 2_000 });
});

async function started(program: string, args: readonly string[], value = mark.value): Promise<number> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'ignore'], env: { [mark.name]: value } });
  await new Promise((resolve) => child.once('spawn', resolve));
  return child.pid as number;
}

describe('marked processes', () => {
  it('are found with what they started, and others are not', async () => {
    const shell = spawn('/bin/sh', ['-c', '/bin/sleep 60 & echo started; wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { [mark.name]: mark.value },
    });
    await new Promise((resolve) => shell.stdout.once('data', resolve));
    const longer = await started('/bin/sleep', ['60'], `${mark.value}-longer`);
    const found = await findMarked({ mark });
    expect(found).toHaveLength(2);
    expect(new Set(found.map(({ ppid }) => ppid))).toEqual(new Set([process.pid, shell.pid]));
    expect(await findMarked({ mark, pids: [longer, shell.pid as number] })).toMatchObject([{ pid: shell.pid }]);
    process.kill(longer, 'SIGKILL');
  });

  it('are killed to the last, also those that start others while they are being killed', async () => {
    await started('/bin/sh', ['-c', 'while :; do /bin/sleep 60 & done']);
    expect(await killMarked({ mark, withinMs: 5_000 })).toEqual([]);
    expect(await findMarked({ mark })).toEqual([]);
  });

  it('are no processes any more once they are dead and not yet reaped', async () => {
    // A shell that never waits leaves its child a zombie.
    const shell = spawn('/bin/sh', ['-c', '/bin/sleep 0 & echo $!; exec /bin/sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { [mark.name]: mark.value },
    });
    const zombie = Number(await new Promise((resolve) => shell.stdout.once('data', resolve)));
    const deadline = Date.now() + 5_000;
    while ((await findMarked({ mark, pids: [zombie] })).length > 0) {
      if (Date.now() > deadline) throw new Error('it does not die');
    }
    expect(await findMarked({ mark })).toMatchObject([{ pid: shell.pid }]);
  });

  it('are found at every moment of a life of one program after another', async () => {
    // Each run of it replaces the program: for most of its time it is between two.
    const again = 'n=$1; [ "$n" = 0 ] && exec /bin/sleep 60; exec /bin/sh -c "$0" "$0" $((n - 1))';
    const pid = await started('/bin/sh', ['-c', again, again, '300']);
    let looks = 0;
    while (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sleep')) {
      expect(await findMarked({ mark, pids: [pid] })).toHaveLength(1);
      looks += 1;
    }
    expect(looks).toBeGreaterThan(10);
  });

  it('have used CPU time, and none when they are gone', async () => {
    const before = readCpuNs(process.pid) as number;
    const end = process.cpuUsage().user + 20_000;
    while (process.cpuUsage().user < end);
    expect((readCpuNs(process.pid) as number) - before).toBeGreaterThan(5_000_000);
    expect(readCpuNs(2 ** 22 + 1)).toBeNull();
  });
});
