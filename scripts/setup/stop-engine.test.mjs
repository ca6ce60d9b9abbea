import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { enginePidFile } from './engine-process.mjs';
import { noteEngineUse, otherEngineUsers } from './engine-users.mjs';
import { isAlive, readPidFile, startTime, writePidFile } from './pid-file.mjs';
import { cacheFolder, root } from './places.mjs';
import { tearDownEngine, whyEngineStays } from './stop-engine.mjs';

/** A docker client that answers from files: what it was asked in `asked`, containers in `ps`, volumes in `volume`, containers that come while it is asked in `late`. */
const STUB = `#!/bin/sh
shift 2
echo "$*" >> "$DOCKER_STUB/asked"
[ -f "$DOCKER_STUB/fails" ] && { echo 'Cannot connect to the Docker daemon' >&2; exit 1; }
case "$1" in
  ps) cat "$DOCKER_STUB/ps" ;;
  volume) cat "$DOCKER_STUB/volume" ;;
  network) if [ -f "$DOCKER_STUB/late" ]; then cp "$DOCKER_STUB/late" "$DOCKER_STUB/ps"; fi ;;
esac
`;

/** @type {string} */
let folder;
const env = { ...process.env };
/** @type {import('node:child_process').ChildProcess[]} */
let children = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mayhem-engine-test-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin', 'docker'), STUB);
  chmodSync(join(folder, 'bin', 'docker'), 0o755);
  process.env.PATH = [join(folder, 'bin'), env.PATH].join(delimiter);
  process.env.DOCKER_STUB = folder;
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  holds({ ps: '', volume: '' });
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
  for (const name of ['PATH', 'XDG_CACHE_HOME', 'DOCKER_STUB']) {
    if (env[name] === undefined) delete process.env[name];
    else process.env[name] = env[name];
  }
  rmSync(folder, { recursive: true });
});

/** @param {Record<string, string>} answers */
function holds(answers) {
  for (const [name, text] of Object.entries(answers)) writeFileSync(join(folder, name), text);
}

/** A process that stands for the engine, noted as one that the set-up started. */
async function engine() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  const name = { pid: child.pid ?? 0, start_time: startTime(child.pid ?? 0) ?? '' };
  // With a bridge that was there before, the host's network is left as it is: another engine may be at work.
  const network = { docker0: true, ip_forward: '1', forward_policy: 'ACCEPT', tables: [] };
  writePidFile(enginePidFile(), { ...name, network_before: network });
  return name;
}

/** No agent of this machine: other tests may run some. */
const nobody = () => [];

test('an engine that holds nothing does not stay', async () => {
  expect(await whyEngineStays({ users: nobody })).toEqual([]);
});

test('a container keeps the engine, whether it runs or not, and one that is being removed does not', async () => {
  holds({ ps: 'exited their-web\ncreated new-one\nremoving shop-gateway-1\n' });
  expect(await whyEngineStays({ users: nobody })).toEqual([
    'it holds container their-web (exited)',
    'it holds container new-one (created)',
  ]);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toMatch(/^ps --all /);
});

test('a volume that claims a target for a fault keeps the engine', async () => {
  holds({ volume: 'mayhem-0a1b l-77\n' });
  expect(await whyEngineStays({ users: nobody })).toEqual([
    'volume mayhem-0a1b is the claim of lease l-77, whose fault may be in force',
  ]);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain('--filter label=mayhem.lease ');
});

test('an engine that does not say what it holds stays', async () => {
  holds({ fails: '' });
  expect(await whyEngineStays({ users: nobody })).toEqual([
    'it does not say what it holds (Cannot connect to the Docker daemon)',
  ]);
});

test('a process that noted its use keeps the engine for others while it lives, not for itself', async () => {
  noteEngineUse('this test');
  expect(otherEngineUsers().filter((line) => line.includes(`(pid ${process.pid})`))).toEqual([]);
  const name = await engine();
  const noted = join(cacheFolder('engine', 'users'), `${name.pid}.json`);
  writePidFile(noted, { ...name, what: 'test.mjs of /elsewhere' });
  expect(otherEngineUsers()).toContain(`test.mjs of /elsewhere uses it (pid ${name.pid})`);
  writePidFile(noted, { ...name, start_time: '1', what: 'one that died' });
  expect(otherEngineUsers().filter((line) => line.includes('one that died'))).toEqual([]);
  expect(existsSync(noted)).toBe(false);
});

test('the agent of a stack on the same engine keeps it', async () => {
  const program = join(folder, 'bin', 'mayhem');
  writeFileSync(program, 'setInterval(() => {}, 1000)');
  /** @param {Record<string, string>} variables */
  const agent = async (variables) => {
    const child = spawn(process.execPath, [program, 'agent'], {
      stdio: 'ignore',
      env: { ...env, DOCKER_HOST: '', ...variables },
    });
    children.push(child);
    await once(child, 'spawn');
    return child.pid;
  };
  const here = await agent({});
  const elsewhere = await agent({ DOCKER_HOST: 'unix:///run/another.sock' });
  const users = otherEngineUsers();
  expect(users).toContain(`a Mayhem agent uses it (pid ${here})`);
  expect(users).not.toContain(`a Mayhem agent uses it (pid ${elsewhere})`);
});

test('a test run that was started by hand keeps the engine', async () => {
  const program = join(folder, 'bin', 'vitest');
  writeFileSync(program, 'setInterval(() => {}, 1000)');
  const options = { stdio: /** @type {const} */ ('ignore'), env: { ...env, DOCKER_HOST: '' } };
  const ours = spawn(process.execPath, [program, 'run'], { ...options, cwd: root });
  const theirs = spawn(process.execPath, [program, 'run'], { ...options, cwd: folder });
  children.push(ours, theirs);
  await Promise.all([once(ours, 'spawn'), once(theirs, 'spawn')]);
  const users = otherEngineUsers();
  expect(users).toContain(`a test run of Mayhem uses it (pid ${ours.pid})`);
  expect(users).not.toContain(`a test run of Mayhem uses it (pid ${theirs.pid})`);
});

test('an engine that is needed gets no signal, and why is said', async () => {
  const name = await engine();
  holds({ ps: 'running their-web\n' });
  const { kind, line } = await tearDownEngine({ users: nobody });
  expect({ kind, alive: isAlive(name) }).toEqual({ kind: 'left', alive: true });
  expect(line).toContain(`docker engine (pid ${name.pid}) left running: it holds container their-web (running)`);
  expect(readPidFile(enginePidFile())).toMatchObject(name);
});

test('an engine that somebody comes to need while it is looked at gets no signal', async () => {
  const name = await engine();
  holds({ late: 'created their-web\n' });
  expect(await tearDownEngine({ users: nobody })).toMatchObject({ kind: 'left' });
  expect(isAlive(name)).toBe(true);
});

test('an engine that nobody needs is stopped, and forgotten', async () => {
  const name = await engine();
  expect(await tearDownEngine({ users: nobody })).toMatchObject({ kind: 'stopped' });
  expect(isAlive(name)).toBe(false);
  expect(existsSync(enginePidFile())).toBe(false);
});

test('without an engine that the set-up started there is none to stop, and docker is not asked', async () => {
  expect(await tearDownEngine()).toMatchObject({ kind: 'none' });
  expect(existsSync(join(folder, 'asked'))).toBe(false);
});
