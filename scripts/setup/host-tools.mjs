import { installPackages, mayInstallPackages } from './debian.mjs';
import { which } from './process.mjs';

/** Programs that faults in namespaces and cgroups use, and the Debian package of each. */
const TOOLS = {
  nft: 'nftables',
  iptables: 'iptables',
  ip: 'iproute2',
  nsenter: 'util-linux',
  'stress-ng': 'stress-ng',
};

const missing = () => Object.entries(TOOLS).filter(([program]) => !which(program));

/**
 * Needed only for faults beyond the engine's own API, so their absence is no error where they must not be
 * installed: `mayhem doctor` says which faults that costs.
 *
 * @type {import('./step.mjs').Step}
 */
export const hostTools = {
  name: 'host tools',
  async check() {
    const absent = missing();
    if (absent.length === 0) return { detail: Object.keys(TOOLS).join(', ') };
    if (mayInstallPackages()) return undefined;
    const programs = absent.map(([program]) => program).join(', ');
    const packages = absent.map(([, name]) => name).join(' ');
    return { detail: `without ${programs}: some faults will be unsupported (sudo apt-get install ${packages})` };
  },
  async install() {
    await installPackages([...new Set(missing().map(([, name]) => name))], 'faults in namespaces and cgroups');
  },
};
