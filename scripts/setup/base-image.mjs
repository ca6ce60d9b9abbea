import { join } from 'node:path';
import { debianMirror } from './apt-source.mjs';
import { installPackages, isRoot, mayInstallPackages } from './debian.mjs';
import { run, which } from './process.mjs';
import { withScratch } from './scratch.mjs';
import { SetupError } from './setup-error.mjs';

const IMAGE = 'debian:bookworm-slim';

/** @type {import('./step.mjs').Step} */
export const baseImage = {
  name: 'base image',
  async check() {
    const args = ['image', 'inspect', '--format', '{{.Id}}', IMAGE];
    const found = await run('docker', args, { timeoutMs: 15_000 });
    return found.code === 0 ? { detail: `${IMAGE} (${found.stdout.trim().slice(7, 19)})` } : undefined;
  },
  async install() {
    const pulled = await run('docker', ['pull', '--quiet', IMAGE], { timeoutMs: 15_000 });
    if (pulled.code === 0) return;
    // A slow line is no missing registry: only a machine that may build the image itself gives up early.
    if (!mayInstallPackages()) {
      const patient = await run('docker', ['pull', '--quiet', IMAGE], { timeoutMs: 300_000 });
      if (patient.code === 0) return;
      throw new SetupError(`the image ${IMAGE} is missing and could not be pulled.`, {
        command: `docker pull ${IMAGE}`,
        detail: patient.stderr,
      });
    }
    await build();
  },
};

/** Makes the image from Debian packages, where no image registry can be reached. */
async function build() {
  if (!which('mmdebstrap')) await installPackages(['mmdebstrap'], `building ${IMAGE} without an image registry`);
  if (!isRoot()) throw new SetupError(`building ${IMAGE} takes root.`);
  await withScratch('image', async (folder) => {
    const archive = join(folder, 'base.tar');
    const mirror = await debianMirror();
    const options = ['--quiet', '--variant=minbase', '--include=ca-certificates'];
    const args = [...options, 'bookworm', archive, ...(mirror ? [mirror] : [])];
    const made = await run('mmdebstrap', args, { timeoutMs: 300_000 });
    const imported =
      made.code === 0
        ? await run('docker', ['import', '--change', 'CMD ["bash"]', archive, IMAGE], { timeoutMs: 120_000 })
        : made;
    if (imported.code === 0) return;
    throw new SetupError(`the image ${IMAGE} could neither be pulled nor built.`, {
      command: `docker pull ${IMAGE}`,
      detail: imported.stderr,
    });
  });
}
