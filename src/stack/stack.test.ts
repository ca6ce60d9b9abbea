import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayhem, temporaryFolder } from '../../test/mayhem-command.js';
import { acceptsConnection } from './answers.js';
import { COMPONENTS, type ComponentName } from './component.js';
import { homeAt } from './home.js';
import { livingProcess, type PidFile } from './pid-file.js';
import { identityOf } from '../host/process-identity.js';
import { type ComponentStatus, stackStatus } from './stack-status.js';
import { findStray } from './stray.js';
import { lockHolder } from './supervisor-lock.js';
import { waitUntil } from './wait-until.js';

const folder = temporaryFolder();
const home = homeAt(folder.path);
const env = { MAYHEM_HOME: folder.path };

function living(name: ComponentName): PidFile {
  const file = livingProcess(home, name);
  if (file === null) throw new Error(`${name} is not running`);
  return file;
}

const pids = () => Object.fromEntries(COMPONENTS.map((name) => [name, livingProcess(home, name)?.pid]));

async function statusOf(name: string): Promise<ComponentStatus | undefined> {
  return (await stackStatus({ home })).find((component) => component.name === name);
}

const runs = async (name: string) => (await statusOf(name))?.state === 'running';

async function supervisorPid(): Promise<number> {
  await waitUntil({ condition: () => lockHolder(home) !== null, withinMs: 5000 });
  return lockHolder(home)?.pid ?? 0;
}

beforeAll(async () => {
  const { code, stderr } = await mayhem(['up'], { env });
  if (code !== 0) throw new Error(stderr);
});

afterAll(async () => {
  await mayhem(['down', '--force'], { env });
  folder.remove();
});

describe('the embedded stack', () => {
  it('is ready when `up` returns: every part runs, with pid, start time, version and a beat where there is one', async () => {
    const { code, stdout } = await mayhem(['status', '--json'], { env });
    expect(code).toBe(0);
    const { components } = (JSON.parse(stdout) as { data: { components: ComponentStatus[] } }).data;
    expect(components.map(({ name, state }) => [name, state])).toEqual([
      ['supervisor', 'running'],
      ['postgres', 'running'],
      ['temporal', 'running'],
      ['agent', 'running'],
      ['worker', 'running'],
    ]);
    for (const component of components) {
      expect(component.pid).toBeGreaterThan(1);
      expect(component.started_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      expect(component.version).toMatch(/^\d+\.\d+/);
    }
    expect(components.slice(3).every(({ beat_age_ms }) => beat_age_ms !== null && beat_age_ms < 3000)).toBe(true);
  });

  it('lets other users through its folder but not into what is inside', () => {
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(home.path)).toBe('711');
    expect([home.logs, home.run, home.postgres, home.temporal].map(mode)).toEqual(['700', '700', '700', '700']);
    expect(mode(home.stackFile)).toBe('600');
  });

  it('listens on loopback only, and Postgres asks for a password', async () => {
    const { address } = living('postgres');
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
    const hba = readFileSync(join(home.postgres, 'data', 'pg_hba.conf'), 'utf8');
    const methods = hba.split('\n').filter((line) => /^(local|host)/.test(line));
    expect(methods.length).toBeGreaterThan(0);
    expect(methods.every((line) => line.endsWith('scram-sha-256'))).toBe(true);
  });

  it.each(COMPONENTS)('starts %s again where it was after a kill -9', async (name) => {
    const before = living(name);
    const restarts = (await statusOf(name))?.restarts ?? 0;
    process.kill(before.pid, 'SIGKILL');
    // One look: what lives at the first of two may be gone at the second.
    const again = async () => (livingProcess(home, name)?.pid ?? before.pid) !== before.pid && (await runs(name));
    expect(await waitUntil({ condition: again, withinMs: 30_000 })).toBe(true);
    expect(living(name).address).toBe(before.address);
    expect((await statusOf(name))?.restarts).toBeGreaterThan(restarts);
  });

  it('shows a worker that hangs as stale, ends it and starts another', async () => {
    const before = living('worker');
    process.kill(before.pid, 'SIGSTOP');
    const stale = async () => (await statusOf('worker'))?.state === 'stale';
    expect(await waitUntil({ condition: stale, withinMs: 8000 })).toBe(true);
    const replaced = async () =>
      (livingProcess(home, 'worker')?.pid ?? before.pid) !== before.pid && (await runs('worker'));
    expect(await waitUntil({ condition: replaced, withinMs: 40_000 })).toBe(true);
    expect(identityOf(before.pid)).toBeNull();
  });

  it('goes on without its supervisor, and a new `up` takes over the same processes', async () => {
    const before = pids();
    const supervisor = await supervisorPid();
    process.kill(supervisor, 'SIGKILL');
    await waitUntil({ condition: () => identityOf(supervisor) === null, withinMs: 5000 });
    expect((await statusOf('supervisor'))?.state).toBe('stopped');
    const { code } = await mayhem(['up'], { env });
    expect(code).toBe(0);
    expect(pids()).toEqual(before);
    expect(await supervisorPid()).not.toBe(supervisor);
  });

  it('restarts what it took over', async () => {
    const before = living('temporal');
    process.kill(before.pid, 'SIGKILL');
    const again = async () =>
      (livingProcess(home, 'temporal')?.pid ?? before.pid) !== before.pid && (await runs('temporal'));
    expect(await waitUntil({ condition: again, withinMs: 30_000 })).toBe(true);
  });

  it('takes over a part whose pid file was never written', async () => {
    const before = living('temporal').pid;
    const supervisor = await supervisorPid();
    process.kill(supervisor, 'SIGKILL');
    await waitUntil({ condition: () => identityOf(supervisor) === null, withinMs: 5000 });
    rmSync(join(home.run, 'temporal.pid'));
    expect(livingProcess(home, 'temporal')).toBeNull();
    expect((await mayhem(['up'], { env })).code).toBe(0);
    expect(living('temporal').pid).toBe(before);
  });

  it('never takes a process that has the pid of a dead part for that part', async () => {
    const file = living('worker');
    const path = join(home.run, 'worker.pid');
    writeFileSync(path, JSON.stringify({ ...file, pid: process.pid }));
    expect(livingProcess(home, 'worker')).toBeNull();
    writeFileSync(path, JSON.stringify(file));
    expect(livingProcess(home, 'worker')?.pid).toBe(file.pid);
  });

  it('comes up once when two call for it at the same moment', async () => {
    await mayhem(['down'], { env });
    const [one, two] = await Promise.all([mayhem(['up'], { env }), mayhem(['up'], { env })]);
    expect([one.code, two.code]).toEqual([0, 0]);
    const supervisor = lockHolder(home)?.pid;
    const { stdout } = await mayhem(['up', '--json'], { env });
    const { components } = (JSON.parse(stdout) as { data: { components: ComponentStatus[] } }).data;
    expect(components[0]?.pid).toBe(supervisor);
    for (const name of COMPONENTS) expect(findStray(home, name)?.pid).toBe(living(name).pid);
  });

  it('refuses other settings than those it was brought up with', async () => {
    const { code, stderr } = await mayhem(['up', '--set', 'temporal.task_queue=another'], { env });
    expect(stderr).toContain('error[stack.failed]: the running stack was brought up with other settings');
    expect(code).toBe(8);
  });

  it('is gone after `down`, supervisor dead or not, and a second `down` finds nothing', async () => {
    const before = [...COMPONENTS.map((name) => living(name)), { pid: await supervisorPid(), address: null }];
    process.kill(await supervisorPid(), 'SIGKILL');
    const { code, stdout } = await mayhem(['down'], { env });
    expect(code).toBe(0);
    expect(stdout).toBe('everything is stopped\n');
    for (const { pid } of before) expect(identityOf(pid)).toBeNull();
    for (const { address } of before) {
      if (address === null) continue;
      const [host, port] = address.split(':') as [string, string];
      expect(await acceptsConnection({ to: { host, port: Number(port) }, withinMs: 500 })).toBe(false);
    }
    expect(readdirSync(home.run)).toEqual([]);
    expect(readdirSync(home.path).filter((name) => name.endsWith('.sock'))).toEqual([]);
    const second = await mayhem(['down'], { env });
    expect(second).toMatchObject({ code: 0, stdout: `nothing was running in ${home.path}\n` });
    expect((await stackStatus({ home })).map(({ state }) => state)).toEqual(Array(5).fill('stopped'));
  });
});

describe('without a container engine', () => {
  const other = temporaryFolder();
  const deadEngine = { MAYHEM_HOME: other.path, DOCKER_HOST: `unix://${other.path}/no-engine.sock` };

  afterAll(async () => {
    await mayhem(['down', '--force'], { env: deadEngine });
    other.remove();
  });

  it('brings up all but the agent, shows it as waiting, and exits 9', async () => {
    const { code, stderr } = await mayhem(['up'], { env: deadEngine });
    expect(stderr).toContain('error[engine.unreachable]');
    expect(code).toBe(9);
    const states = (await stackStatus({ home: homeAt(other.path) })).map(({ name, state }) => [name, state]);
    expect(Object.fromEntries(states)).toEqual({
      supervisor: 'running',
      postgres: 'running',
      temporal: 'running',
      agent: 'waiting',
      worker: 'running',
    });
  });
});
