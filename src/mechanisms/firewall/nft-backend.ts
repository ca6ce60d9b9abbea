import { listNftTables, loadNft, type NftTable, readNftTable } from '../../engines/host/nft.js';
import { readUptimeMs } from '../../engines/host/boot.js';
import { MayhemError } from '../../model/error.js';
import type { FirewallBackend, FirewallReading } from './backend.js';
import { markOf, ruleNameOf, untilOf } from './mark.js';
import { hooksOf, nftRemoval, nftScript } from './nft-script.js';
import { type FirewallRule, rulesOf } from './rules.js';

/** Uptime is read before the kernel starts to count, in steps of 10 ms; its timers round to a few. */
const ROUNDING_MS = 50;

/** One nft table for each lease. */
export function nftBackend(): FirewallBackend {
  // What this host's kernel can do does not change while we run; asking it costs tens of milliseconds.
  let proven = false;
  return {
    name: 'nft',

    async unfit(options) {
      if (proven) return null;
      try {
        for (const protocol of ['tcp', 'udp'] as const) {
          const rules = rulesOf({ action: 'refuse', protocol, port: 1, direction: 'both' });
          const script = nftScript({ table: 'mayhem_check', rules, mark: 'mayhem', lifetimeMs: 1_000, mode: 'create' });
          await loadNft({ ...options, script, check: true });
        }
        // Some builds cannot write JSON, and then nothing could be read back.
        await listNftTables(options);
      } catch (error) {
        if (options.signal.aborted || !(error instanceof MayhemError)) throw error;
        return error.message;
      }
      proven = true;
      return null;
    },

    survey: listNftTables,

    async place({ record, rules, lifetimeMs, repeated, ...where }) {
      const untilUptimeMs = lifetimeMs === null ? null : (await readUptimeMs()) + lifetimeMs;
      const script = nftScript({
        table: ruleNameOf(record.lease.lease_id),
        rules,
        mark: markOf({ record, untilUptimeMs }),
        lifetimeMs,
        // Deleting waits for the kernel to let go (tens of milliseconds), so that a first attempt does without.
        mode: repeated ? 'replace' : 'create',
      });
      await loadNft({ ...where, script });
    },

    async read({ record, rules, ...where }) {
      const name = ruleNameOf(record.lease.lease_id);
      const table = await readNftTable({ ...where, table: name });
      if (table === null) return { state: 'absent', read: { table: null } };
      const state = stateOf({ table, rules, uptimeMs: await readUptimeMs() });
      const packets = Object.fromEntries(
        table.chains.map((chain) => [chain.name, chain.rules.reduce((sum, rule) => sum + rule.packets, 0)]),
      );
      return { state, read: { table: name, live_elements: table.elements, packets } };
    },

    async remove({ record, ...where }) {
      await loadNft({ ...where, script: nftRemoval(ruleNameOf(record.lease.lease_id)) });
    },
  };
}

/** What a table that was read says of the rules that were placed in it. Pure. */
export function stateOf(options: {
  readonly table: NftTable;
  readonly rules: readonly FirewallRule[];
  readonly uptimeMs: number;
}): FirewallReading['state'] {
  const { table, rules } = options;
  const surplus = hooksOf(rules).map((hook) => {
    const chain = table.chains.find((one) => one.name === hook && one.hook === hook);
    return (chain?.rules.length ?? 0) - rules.filter((rule) => rule.hook === hook).length;
  });
  if (surplus.some((difference) => difference < 0)) return 'damaged';
  if (table.chains.length > surplus.length || surplus.some((difference) => difference > 0)) return 'altered';
  if (table.elements >= 2) return 'live';
  const marks = table.chains.flatMap((chain) => chain.rules.flatMap(({ comment }) => (comment ? [comment] : [])));
  const until = untilOf(marks[0] ?? '');
  // Elements that went before their time were taken away by somebody.
  return until !== null && options.uptimeMs >= until - ROUNDING_MS ? 'expired' : 'damaged';
}
