import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, root } from '../setup/places.mjs';
import { run } from '../setup/process.mjs';
import { SetupError } from '../setup/setup-error.mjs';

export const shopFolder = join(root, 'examples', 'shop');
const IMAGES = ['shop-app', 'shop-postgres', 'shop-redis'];
const stamp = () => join(cacheFolder(), 'shop-images.json');

/** What the images were built from: the files of their folders, and the base image. */
async function sources() {
  const hash = createHash('sha256');
  for (const folder of ['app', 'postgres', 'redis']) {
    for (const name of readdirSync(join(shopFolder, folder)).sort()) {
      hash.update(`${folder}/${name}\0`).update(readFileSync(join(shopFolder, folder, name)));
    }
  }
  return hash.update(await ids(['debian:bookworm-slim'])).digest('hex');
}

/**
 * @param {readonly string[]} images
 * @returns {Promise<string>} their ids, one a line; empty when one is missing
 */
async function ids(images) {
  const args = ['image', 'inspect', '--format', '{{.Id}}', ...images];
  const found = await run('docker', args, { timeoutMs: 15_000 });
  return found.code === 0 ? found.stdout.trim() : '';
}

/** @type {import('../setup/step.mjs').Step} */
export const shopImages = {
  name: 'shop images',
  async check() {
    const present = await ids(IMAGES);
    if (!present || !existsSync(stamp())) return undefined;
    const built = JSON.parse(readFileSync(stamp(), 'utf8'));
    return built.images === present && built.sources === (await sources()) ? { detail: IMAGES.join(', ') } : undefined;
  },
  async install() {
    const from = await sources();
    const plain = await compose(['build', '--quiet'], { timeoutMs: 600_000 });
    // Newer compose versions need a buildx plugin for BuildKit; the classic builder needs none.
    const built =
      plain.code === 0 ? plain : await compose(['build', '--quiet'], { timeoutMs: 600_000, DOCKER_BUILDKIT: '0' });
    if (built.code !== 0) {
      throw new SetupError("the shop's images could not be built.", {
        command: 'cd examples/shop && docker compose build',
        detail: built.stderr,
      });
    }
    writeFileSync(stamp(), JSON.stringify({ images: await ids(IMAGES), sources: from }));
  },
};

/**
 * Starts what is missing of the shop and waits until each of its services is healthy.
 *
 * @param {{ resilience: 'on' | 'off', log: (line: string) => void }} options
 */
export async function startShop({ resilience, log }) {
  const startedMs = performance.now();
  const started = await compose(['up', '--detach', '--wait', '--quiet-pull'], {
    timeoutMs: 180_000,
    SHOP_RESILIENCE: resilience,
  });
  if (started.code !== 0) {
    throw new SetupError('the shop does not come up.', {
      command: 'cd examples/shop && docker compose ps && docker compose logs',
      detail: started.stderr,
    });
  }
  const listed = await compose(['ps', '--services', '--status', 'running'], { timeoutMs: 30_000 });
  const services = listed.stdout.split('\n').filter(Boolean).length;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  log(`ok  shop ${services} services healthy, resilience ${resilience}, ${seconds} s`);
}

/** @returns {Promise<import('../setup/process.mjs').Outcome>} */
export const stopShop = () =>
  compose(['down', '--volumes', '--remove-orphans', '--timeout', '5'], { timeoutMs: 90_000 });

/**
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number } & Record<string, string | number>} options variables besides the time limit
 */
function compose(args, { timeoutMs, ...variables }) {
  const env = { ...process.env, ...variables };
  return run('docker', ['compose', '--ansi', 'never', ...args], { timeoutMs, cwd: shopFolder, env });
}
