import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { debianMirror } from './apt-source.mjs';
import { cacheFolder } from './places.mjs';
import { run, which } from './process.mjs';
import { withScratch } from './scratch.mjs';
import { SetupError } from './setup-error.mjs';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const userConfig = () => process.env.DOCKER_CONFIG || join(homedir(), '.docker');
const ownConfig = () => cacheFolder('docker-config');

/** @param {NodeJS.ProcessEnv} env */
async function version(env) {
  const answer = await run('docker', ['compose', 'version', '--short'], { timeoutMs: 15_000, env });
  const text = answer.stdout.trim().replace(/^v/, '');
  return answer.code === 0 && Number.parseInt(text, 10) >= 2 ? text : undefined;
}

/** @type {import('./step.mjs').Step} */
export const composePlugin = {
  name: 'docker compose',
  async check() {
    const present = await version(process.env);
    if (present) return { detail: present };
    const env = { DOCKER_CONFIG: ownConfig() };
    const cached = await version({ ...process.env, ...env });
    return cached ? { detail: `${cached} (${ownConfig()})`, env } : undefined;
  },
  async install() {
    await withScratch('compose', async (folder) => {
      const program = await fetchFromTrixie(folder);
      const plugins = join(ownConfig(), 'cli-plugins');
      mkdirSync(plugins, { recursive: true, mode: 0o700 });
      copyFileSync(program, join(plugins, 'docker-compose'));
      keepUserSettings();
    });
  },
};

/** DOCKER_CONFIG replaces the user's folder: its registry logins and contexts are linked in. */
function keepUserSettings() {
  for (const name of ['config.json', 'contexts']) {
    const theirs = join(userConfig(), name);
    const link = join(ownConfig(), name);
    if (userConfig() !== ownConfig() && existsSync(theirs) && !existsSync(link)) symlinkSync(theirs, link);
  }
}

/**
 * Compose v2 is packaged from Debian 13 on; its program is static enough to run on Debian 12. apt fetches and
 * verifies it in a root of its own, so that the machine's package lists stay as they are.
 *
 * @param {string} folder scratch space
 * @returns {Promise<string>} path of the program
 */
async function fetchFromTrixie(folder) {
  const byHand = {
    command: 'sudo apt-get install docker-compose-plugin   (see docs.docker.com/compose/install/linux)',
  };
  const mirror = which('apt-get') && existsSync(KEYRING) ? await debianMirror() : undefined;
  if (!mirror)
    throw new SetupError(
      "docker compose v2 is missing; fetching it takes Debian's apt and its archive keyring.",
      byHand,
    );
  for (const path of ['lists/partial', 'archives/partial', 'parts']) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, 'sources.list'), `deb [signed-by=${KEYRING}] ${mirror} trixie main\n`);
  writeFileSync(join(folder, 'status'), '');
  const settings = [
    `Dir::State=${folder}`,
    `Dir::State::Lists=${folder}/lists`,
    `Dir::State::status=${folder}/status`,
    `Dir::Cache=${folder}`,
    `Dir::Etc::SourceList=${folder}/sources.list`,
    `Dir::Etc::SourceParts=${folder}/parts`,
    'APT::Sandbox::User=',
    'Acquire::Languages=none',
  ];
  const options = ['-qq', ...settings.flatMap((setting) => ['-o', setting])];
  for (const verb of [['update'], ['download', 'docker-compose']]) {
    const done = await run('apt-get', [...options, ...verb], { timeoutMs: 180_000, cwd: folder });
    if (done.code !== 0) {
      throw new SetupError('docker compose v2 is missing and could not be fetched.', {
        ...byHand,
        detail: done.stderr,
      });
    }
  }
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  const unpacked = await run('dpkg-deb', ['-x', join(folder, archive ?? ''), join(folder, 'root')], {
    timeoutMs: 60_000,
  });
  const program = ['usr/libexec/docker/cli-plugins/docker-compose', 'usr/bin/docker-compose']
    .map((path) => join(folder, 'root', path))
    .find((path) => existsSync(path));
  if (!program) {
    throw new SetupError('the package docker-compose does not hold what was expected.', {
      ...byHand,
      detail: unpacked.stderr,
    });
  }
  return program;
}
