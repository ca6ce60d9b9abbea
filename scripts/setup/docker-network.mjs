import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { run } from './process.mjs';

const FORWARD = '/proc/sys/net/ipv4/ip_forward';

/**
 * What dockerd will change of the host's network and does not take back when it ends.
 *
 * @typedef {object} NetworkBefore
 * @property {boolean} docker0 whether the default bridge was there
 * @property {string} ip_forward
 * @property {string} forward_policy policy of the FORWARD chain
 * @property {string[]} tables nft tables, `<family> <name>`
 */

/** @returns {Promise<NetworkBefore>} */
export async function rememberNetwork() {
  const forward = await run('iptables', ['-S', 'FORWARD'], { timeoutMs: 10_000 });
  return {
    docker0: existsSync('/sys/class/net/docker0'),
    ip_forward: readFileSync(FORWARD, 'utf8').trim(),
    forward_policy: /^-P FORWARD (\w+)/m.exec(forward.stdout)?.[1] ?? 'ACCEPT',
    tables: await nftTables(),
  };
}

async function nftTables() {
  const listed = await run('nft', ['list', 'tables'], { timeoutMs: 10_000 });
  return listed.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/^table /, '').trim());
}

/**
 * @param {string} host the engine's address
 * @returns {Promise<string[]>} the bridges of its networks
 */
export async function bridgesOf(host) {
  const args = ['--host', host, 'network', 'ls', '--filter', 'driver=bridge', '--format', '{{.ID}} {{.Name}}'];
  const listed = await run('docker', args, { timeoutMs: 10_000 });
  const networks = listed.stdout.split('\n').filter(Boolean);
  return networks.map((line) => (line.endsWith(' bridge') ? 'docker0' : `br-${line.slice(0, 12)}`));
}

/**
 * Removes the bridges, rules and chains that dockerd made, and nothing else: a rule goes when it stands in, or
 * jumps to, one of Docker's chains or names one of its bridges.
 *
 * @param {NetworkBefore} before
 * @param {readonly string[]} bridges
 */
export async function forgetNetwork(before, bridges) {
  if (before.docker0) return;
  const names = new Set(bridges);
  for (const table of ['filter', 'nat', 'raw', 'mangle']) {
    const saved = await run('iptables', ['-t', table, '-S'], { timeoutMs: 10_000 });
    const lines = saved.stdout.split('\n');
    const chains = lines.flatMap((line) => /^-N (DOCKER\S*)/.exec(line)?.[1] ?? []);
    for (const line of lines) {
      const isDockers = / DOCKER/.test(line) || words(line).some((word) => names.has(word));
      if (!line.startsWith('-A ') || !isDockers) continue;
      await run('iptables', ['-t', table, '-D', ...words(line).slice(1)], { timeoutMs: 10_000 });
    }
    for (const verb of ['-F', '-X']) {
      for (const chain of chains) await run('iptables', ['-t', table, verb, chain], { timeoutMs: 10_000 });
    }
  }
  await run('iptables', ['-P', 'FORWARD', before.forward_policy], { timeoutMs: 10_000 });
  for (const name of names) await run('ip', ['link', 'delete', name], { timeoutMs: 10_000 });
  writeFileSync(FORWARD, `${before.ip_forward}\n`);
  for (const table of await nftTables()) {
    if (before.tables.includes(table)) continue;
    const [family = '', name = ''] = table.split(' ');
    const content = await run('nft', ['list', 'table', family, name], { timeoutMs: 10_000 });
    if (isEmpty(content.stdout)) await run('nft', ['delete', 'table', family, name], { timeoutMs: 10_000 });
  }
}

/** @param {string} line a line of `iptables -S`, whose words may be quoted */
const words = (line) => (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''));

/** Only the built-in chains that iptables-nft made for itself, without a rule. @param {string} table */
const isEmpty = (table) =>
  table
    .split('\n')
    .map((line) => line.trim())
    .every((line) => /^(table .*|chain [A-Z]+ \{|type .* policy accept;|\}|#.*|)$/.test(line));
