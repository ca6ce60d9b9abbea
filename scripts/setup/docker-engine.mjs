import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { spawn } from 'node:child_process';
import { installPackages, isRoot } from './debian.mjs';
import { rememberNetwork } from './docker-network.mjs';
import { DEFAULT_HOST, endProcess, engineIsOurs, engineLogFile, enginePidFile } from './engine-process.mjs';
import { isAlive, removePidFile, startTime, writePidFile } from './pid-file.mjs';
import { run, waitFor, which } from './process.mjs';
import { SetupError } from './setup-error.mjs';

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
    const log = openSync(engineLogFile(), 'a', 0o600);
    const child = spawn(dockerd, [], { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.on('error', () => {});
    child.unref();
    const pid = child.pid;
    const started = pid === undefined ? undefined : startTime(pid);
    if (pid === undefined || started === undefined) continue;
    const name = { pid, start_time: started };
    writePidFile(enginePidFile(), { ...name, network_before: before });
    const answered = await waitFor(async () => !isAlive(name) || (await engineVersion(DEFAULT_HOST)), {
      timeoutMs: 30_000,
    });
    if (typeof answered === 'string') return;
    if (isAlive(name)) await endProcess(name);
    removePidFile(enginePidFile());
  }
  const tail = existsSync(engineLogFile()) ? readFileSync(engineLogFile(), 'utf8').slice(-2_000) : '';
  throw new SetupError(`dockerd does not come up; its log is ${engineLogFile()}.`, { detail: tail });
}
