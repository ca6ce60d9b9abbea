import { access } from 'node:fs/promises';
import { type IptablesFamily, restoreFilter, saveFilter } from '../../engines/host/iptables.js';
import { scratchNetwork } from '../../engines/host/network-namespace.js';
import { MayhemError } from '../../model/error.js';
import type { FirewallBackend, FirewallReading } from './backend.js';
import { callsOf, chainOf, endOf, iptablesLines, iptablesRemoval, ownChains } from './iptables-lines.js';
import { markOf, ruleNameOf } from './mark.js';
import { type FirewallRule, rulesOf } from './rules.js';

/**
 * Where nft is missing: chains of each lease's own in the filter tables of iptables and ip6tables, whose rules end at a second of the wall clock.
 * What it cannot do as nft does: end on a clock that nobody sets, and IPv4 and IPv6 in one step. A namespace without a filter
 * table keeps the empty one that these tools make.
 */
export function iptablesBackend(): FirewallBackend {
  let proven = false;
  return {
    name: 'iptables',

    async unfit({ signal }) {
      if (proven) return null;
      try {
        for (const family of await families()) {
          for (const protocol of ['tcp', 'udp'] as const) {
            const rules = rulesOf({ action: 'refuse', protocol, port: 1, direction: 'both' });
            const lines = iptablesLines({ family, name: 'mayhem_check', rules, mark: 'mayhem', untilMs: 0 });
            await restoreFilter({ inside: scratchNetwork, family, lines, signal });
          }
        }
      } catch (error) {
        if (signal.aborted || !(error instanceof MayhemError)) throw error;
        return error.message;
      }
      proven = true;
      return null;
    },

    async survey(options) {
      const chains = (await families()).map(async (family) => {
        const saved = await saveFilter({ ...options, family });
        return saved.flatMap((line) =>
          line.startsWith(':') ? [`${family} ${line.slice(1).split(' ')[0] as string}`] : [],
        );
      });
      return (await Promise.all(chains)).flat().sort();
    },

    async place({ record, rules, lifetimeMs, repeated, ...where }) {
      const name = ruleNameOf(record.lease.lease_id);
      // The kernel compares with the wall clock, so it is the one to count on here.
      const untilMs = lifetimeMs === null ? null : Date.now() + lifetimeMs;
      const mark = markOf({ record, untilUptimeMs: null });
      if (repeated) await removeAll({ ...where, name });
      await forEachFamily(async (family) => {
        await restoreFilter({ ...where, family, lines: iptablesLines({ family, name, rules, mark, untilMs }) });
      });
    },

    async read({ record, rules, ...where }) {
      const name = ruleNameOf(record.lease.lease_id);
      const states = new Map<IptablesFamily, FirewallReading['state']>();
      await forEachFamily(async (family) => {
        const saved = await saveFilter({ ...where, family });
        states.set(family, stateOfFamily({ name, rules, saved, nowMs: Date.now() }));
      });
      const all = [...new Set(states.values())];
      const [only] = all;
      const state = all.length === 1 && only !== undefined ? only : all.includes('altered') ? 'altered' : 'damaged';
      return { state, read: { chains: state === 'absent' ? null : name, ...Object.fromEntries(states) } };
    },

    async remove({ record, ...where }) {
      await removeAll({ ...where, name: ruleNameOf(record.lease.lease_id) });
    },
  };
}

type Where = Omit<Parameters<typeof saveFilter>[0], 'family'>;

async function removeAll({ name, ...where }: Where & { readonly name: string }): Promise<void> {
  await forEachFamily(async (family) => {
    const lines = iptablesRemoval({ name, saved: await saveFilter({ ...where, family }) });
    if (lines.length > 0) await restoreFilter({ ...where, family, lines });
  });
}

/** What the saved lines of one family say of the rules that were placed. Pure. */
export function stateOfFamily(options: {
  readonly name: string;
  readonly rules: readonly FirewallRule[];
  readonly saved: readonly string[];
  readonly nowMs: number;
}): FirewallReading['state'] {
  const { name, rules, saved } = options;
  if (ownChains(options).length === 0) return 'absent';
  const hooks = [...new Set(rules.map((rule) => rule.hook))];
  const own = hooks.map((hook) => saved.filter((line) => line.startsWith(`-A ${chainOf({ name, hook })} `)));
  const surplus = hooks.map(
    (hook, index) => (own[index]?.length ?? 0) - rules.filter((rule) => rule.hook === hook).length,
  );
  if (callsOf(options).length < hooks.length || surplus.some((difference) => difference < 0)) return 'damaged';
  if (surplus.some((difference) => difference > 0)) return 'altered';
  const ends = own.flat().map(endOf);
  return ends.every((end) => end === null || end >= options.nowMs) ? 'live' : 'expired';
}

async function forEachFamily(work: (family: IptablesFamily) => Promise<void>): Promise<void> {
  await Promise.all((await families()).map(work));
}

/** Both, unless this kernel has no IPv6. */
async function families(): Promise<readonly IptablesFamily[]> {
  const ipv6 = await access('/proc/sys/net/ipv6').then(
    () => true,
    () => false,
  );
  return ipv6 ? ['iptables', 'ip6tables'] : ['iptables'];
}
