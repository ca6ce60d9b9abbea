import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installPackages, isRoot } from './debian.mjs';
import { bridgesOf, forgetNetwork, rememberNetwork } from './docker-network.mjs';
import { isAlive, readPidFile, removePidFile, startTime, writePidFile } from './pid-file.mjs';
import { cacheFolder } from './places.mjs';
import { run, waitFor, which } from './process.mjs';
import { SetupError } from './setup-error.mjs';

const DEFAULT_HOST = 'unix:///var/run/docker.sock';
const pidFile = () => join(cacheFolder('engine'), 'dockerd.json');
const logFile = () => join(cacheFolder('engine'), 'dockerd.log');

/**
 * @param {string} host as in DOCKER_HOST: unix://… or tcp://…
 * @returns {Promise<string | undefined>} the engine's version, undefined when it does not answer within 3 s
 */
export async function engineVersion(host) {
  const target = host.startsWith('unix://')
    ? { socketPath: host.slice('unix://'.length) }
    : host.startsWith('tcp://') && !process.env.DOCKER_TLS_VERIFY
      ? { host: new URL(host).hostname, port: new URL(host).port || 2375 }
      : undefined;
  if (!target) {
    const args = ['--host', host, 'version', '--format', '{{.Server.Version}}'];
    const answer = await run('docker', args, { timeoutMs: 10_000 });
    return answer.code === 0 ? answer.stdout.trim() : undefined;
  }
  return new Promise((resolve) => {
    const call = request({ ...target, path: '/version', timeout: 3_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        try {
          resolve(JSON.parse(body).Version);
        } catch {
          resolve(undefined);
        }
      });
    });
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(undefined));
    call.end();
  });
}

/** @returns {boolean} whether the engine that runs here was started by this set-up, now or earlier */
export function engineIsOurs() {
  const ours = readPidFile(pidFile());
  return ours !== undefined && isAlive(ours);
}

/** Which engine the user means: DOCKER_HOST, else the default socket, else the docker client's current context. */
async function findEngine() {
  const named = process.env.DOCKER_HOST;
  if (named) return { host: named, version: await engineVersion(named) };
  const version = await engineVersion(DEFAULT_HOST);
  if (version) return { host: DEFAULT_HOST, version };
  const args = ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'];
  const context = await run('docker', args, { timeoutMs: 5_000 });
  const host = context.stdout.trim();
  if (context.code === 0 && host && host !== DEFAULT_HOST) {
    const contextVersion = await engineVersion(host);
    if (contextVersion) return { host, version: contextVersion };
  }
  return { host: DEFAULT_HOST, version: undefined };
}

/** @type {import('./step.mjs').Step} */
export const dockerEngine = {
  name: 'docker engine',
  async check() {
    const { host, version } = await findEngine();
    if (!version || !which('docker')) return undefined;
    const origin = engineIsOurs() ? 'started by this set-up' : 'already running';
    return {
      detail: `${version} (${origin})`,
      env: host === DEFAULT_HOST && !process.env.DOCKER_HOST ? {} : { DOCKER_HOST: host },
    };
  },
  async install() {
    const { version } = await findEngine();
    if (version) {
      await installPackages(await enginePackages(), 'the docker client');
      return;
    }
    if (process.env.DOCKER_HOST) {
      throw new SetupError(`no Docker engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}.`, {
        command: 'unset DOCKER_HOST   (or start that engine)',
      });
    }
    if (process.platform !== 'linux' || !isRoot()) {
      const installed = which('dockerd') !== undefined;
      throw new SetupError('no Docker engine answers, and starting one takes root on Linux.', {
        command:
          process.platform !== 'linux'
            ? 'open -a Docker   (or start your container engine in another way)'
            : installed
              ? 'sudo systemctl start docker && sudo usermod -aG docker "$USER"'
              : 'sudo apt-get install docker.io && sudo usermod -aG docker "$USER"   (then log in again)',
      });
    }
    if (!which('dockerd')) await installPackages(await enginePackages(), 'the Docker engine');
    if (existsSync('/run/systemd/system')) await startByService();
    else await startDetached();
  },
};

/** From Debian 13 on the client is a package of its own, which the engine's only recommends. */
async function enginePackages() {
  const client = await run('apt-cache', ['show', '--quiet=0', 'docker-cli'], { timeoutMs: 20_000 });
  return ['docker.io', 'iptables', ...(client.code === 0 && !which('docker') ? ['docker-cli'] : [])];
}

async function startByService() {
  const started = await run('systemctl', ['start', 'docker'], { timeoutMs: 60_000 });
  const answers = await waitFor(() => engineVersion(DEFAULT_HOST), { timeoutMs: 30_000 });
  if (answers) return;
  throw new SetupError('the docker service does not come up.', {
    command: 'sudo systemctl status docker',
    detail: started.stderr,
  });
}

/** Starts dockerd in its own session, so that it outlives this script, and notes pid and start time. */
async function startDetached() {
  const dockerd = which('dockerd');
  if (!dockerd) throw new SetupError('dockerd is not on PATH.', { command: 'sudo apt-get install docker.io' });
  const before = await rememberNetwork();
  // A daemon that was killed leaves a containerd behind which makes the first starts fail.
  for (let attempt = 1; attempt <= 3; attempt++) {
    const log = openSync(logFile(), 'a', 0o600);
    const child = spawn(dockerd, [], { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.on('error', () => {});
    child.unref();
    const pid = child.pid;
    const started = pid === undefined ? undefined : startTime(pid);
    if (pid === undefined || started === undefined) continue;
    const name = { pid, start_time: started };
    writePidFile(pidFile(), { ...name, network_before: before });
    const answered = await waitFor(async () => !isAlive(name) || (await engineVersion(DEFAULT_HOST)), {
      timeoutMs: 30_000,
    });
    if (typeof answered === 'string') return;
    if (isAlive(name)) await end(name);
    removePidFile(pidFile());
  }
  const tail = existsSync(logFile()) ? readFileSync(logFile(), 'utf8').slice(-2_000) : '';
  throw new SetupError(`dockerd does not come up; its log is ${logFile()}.`, { detail: tail });
}

/**
 * Ends a process with SIGTERM and waits until it is gone.
 *
 * @param {import('./pid-file.mjs').ProcessName} name
 * @returns {Promise<boolean>} false when it still lives after 30 s
 */
async function end(name) {
  process.kill(name.pid, 'SIGTERM');
  return (await waitFor(() => !isAlive(name), { timeoutMs: 30_000 })) === true;
}

/**
 * Stops the engine that this set-up started, and takes back the bridge and firewall chains that came with it.
 * Images, volumes and the engine's data stay. An engine started by somebody else is left alone, and so is one
 * of ours that runs containers.
 *
 * @returns {Promise<string>} one line for the terminal
 */
export async function tearDownEngine() {
  const file = readPidFile(pidFile());
  if (!file || !isAlive(file)) {
    removePidFile(pidFile());
    return 'docker engine: none that this set-up started';
  }
  const list = await run('docker', ['--host', DEFAULT_HOST, 'ps', '--format', '{{.Names}}'], { timeoutMs: 10_000 });
  const running = list.stdout.split('\n').filter(Boolean);
  if (running.length > 0) return `docker engine left running: it holds ${running.join(', ')}`;
  const containerd = childNamed(file.pid, 'containerd');
  const bridges = await bridgesOf(DEFAULT_HOST);
  const stopped = await end(file);
  const alone = !containerd || (await waitFor(() => !isAlive(containerd), { timeoutMs: 10_000 })) === true;
  if (!stopped || !alone) return `docker engine (pid ${file.pid}) did not end within 30 s; see ${logFile()}`;
  await forgetNetwork(file.network_before, bridges);
  removePidFile(pidFile());
  return 'docker engine stopped';
}

/**
 * @param {number} parent
 * @param {string} command
 */
function childNamed(parent, command) {
  try {
    const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ');
    for (const text of pids.filter(Boolean)) {
      const pid = Number(text);
      const started = startTime(pid);
      if (started && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === command) {
        return { pid, start_time: started };
      }
    }
  } catch {
    // it ended meanwhile
  }
  return undefined;
}
