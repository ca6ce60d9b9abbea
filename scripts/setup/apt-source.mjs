import { mayInstallPackages, refreshLists } from './debian.mjs';
import { run } from './process.mjs';

/**
 * The Debian mirror that this machine's apt uses.
 *
 * @returns {Promise<string | undefined>} its base URI; undefined where apt has no source of Debian itself
 */
export async function debianMirror() {
  const listed = await askApt();
  if (listed || !mayInstallPackages()) return listed;
  // Without package lists apt does not know whose its sources are.
  await refreshLists();
  return askApt();
}

async function askApt() {
  const args = ['indextargets', '--format', '$(LABEL)|$(REPO_URI)', 'Created-By: Packages', 'Origin: Debian'];
  const listed = await run('apt-get', args, { timeoutMs: 20_000 });
  const line = listed.stdout.split('\n').find((text) => text.startsWith('Debian|'));
  return line?.slice('Debian|'.length).trim();
}
