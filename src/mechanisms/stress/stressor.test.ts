import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMarked, killMarked } from '../../engines/host/marked-processes.js';
import { toolkitFile } from '../toolkit.js';
import { parseTrace } from './trace.js';

const mark = { name: 'MAYHEM_LEASE', value: `l-launcher-${process.pid}` };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mayhem-launcher-'));
});
afterEach(async () => {
  await killMarked({ mark, withinMs: 2_000 });
  await rm(folder, { recursive: true });
});

/** Runs the launcher with files in the place of control groups, watching `watched`, to the end of the launcher. */
async function launch(options: {
  readonly watched: number;
  readonly groups: readonly string[];
  readonly command: readonly string[];
}) {
  const trace = join(folder, 'trace');
  const args = [trace, String(options.watched), String(options.groups.length), ...options.groups, ...options.command];
  const child = spawn('/bin/sh', [toolkitFile('stressor'), ...args], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], [mark.name]: mark.value },
  });
  await new Promise((resolve) => child.once('exit', resolve));
  return parseTrace(await readFile(trace, 'utf8'));
}

async function group(name: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, '');
  return file;
}

function sleeper(): ChildProcess {
  return spawn('/bin/sleep', ['60'], { stdio: 'ignore' });
}

describe('the launcher of a stressor', () => {
  it('joins every group before it runs the command, and writes down how that ended', async () => {
    const groups = [await group('a b'), await group('c')];
    const out = join(folder, 'out');
    const trace = await launch({
      watched: process.pid,
      groups,
      command: ['/bin/sh', '-c', 'cat "$1" "$2" >"$3"; exit 7', 'sh', ...groups, out],
    });
    expect(await readFile(out, 'utf8')).toBe('00');
    expect(trace).toMatchObject({ exit_code: 7, refused: null, target_ended_ms: null });
    expect(trace.boot_id).toBe((await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim());
    expect(await findMarked({ mark })).toEqual([]);
  });

  it('does not run the command when it cannot join a group', async () => {
    const missing = join(folder, 'no such folder', 'cgroup.procs');
    const out = join(folder, 'out');
    const trace = await launch({ watched: process.pid, groups: [missing], command: ['/bin/sh', '-c', `: >"${out}"`] });
    expect(trace).toMatchObject({ refused: missing, exit_code: 1 });
    await expect(readFile(out)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends the command when the watched process ends', async () => {
    const watched = sleeper();
    const ended = launch({ watched: watched.pid as number, groups: [], command: ['/bin/sleep', '60'] });
    watched.kill('SIGKILL');
    const trace = await ended;
    expect(trace.target_ended_ms).not.toBeNull();
    expect(trace.exit_code).toBe(128 + 15);
    expect(await findMarked({ mark })).toEqual([]);
  });

  it('passes arguments as they are, whatever a shell would make of them', async () => {
    const out = join(folder, 'out');
    const nasty = '$(id) `id` "; exit 9; \'* \\n';
    const command = ['/bin/sh', '-c', 'printf %s "$2" >"$1"', 'sh', out, nasty];
    expect(await launch({ watched: process.pid, groups: [], command })).toMatchObject({ exit_code: 0 });
    expect(await readFile(out, 'utf8')).toBe(nasty);
  });
});
