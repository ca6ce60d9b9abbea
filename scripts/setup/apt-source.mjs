import { run } from './process.mjs';

/**
 * The Debian mirror that this machine's apt uses.
 *
 * @returns {Promise<string | undefined>} its base URI; undefined where apt has no source of Debian itself
 */
export async function debianMirror() {
  const args = ['indextargets', '--format', '$(LABEL)|$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian'];
  const listed = await run('apt-get', args, { timeoutMs: 20_000 });
  const line = listed.stdout.split('\n').find((text) => text.startsWith('Debian|'));
  return line?.slice('Debian|'.length).trim();
}
