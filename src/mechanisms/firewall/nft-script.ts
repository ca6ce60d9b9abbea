import { assertNever } from '../../model/error.js';
import type { FirewallRule } from './rules.js';

/** Before the target's own filters and its address translation: what is meant is the port that was asked for. */
const PRIORITY = -150;

export interface NftScriptOptions {
  readonly table: string;
  readonly rules: readonly FirewallRule[];
  readonly mark: string;
  /** null: for as long as the table stays. */
  readonly lifetimeMs: number | null;
  /** create: refused when the table is there. replace: whatever of it is there goes first, in the same transaction. */
  readonly mode: 'create' | 'replace';
}

/**
 * One table of the inet family (IPv4 and IPv6) as a script for nft(8). Each rule matches through the set `live`, whose elements the kernel
 * drops at their timeout: from then on the rules meet no packet. Pure.
 */
export function nftScript(options: NftScriptOptions): string {
  const { table, rules, lifetimeMs } = options;
  const timeout = lifetimeMs === null ? '' : ` timeout ${lifetimeMs}ms`;
  const chains = hooksOf(rules).map((hook) =>
    [
      `  chain ${hook} {`,
      `    type filter hook ${hook} priority ${PRIORITY}; policy accept;`,
      ...rules.filter((rule) => rule.hook === hook).map((rule) => `    ${textOf(rule)} comment "${options.mark}"`),
      '  }',
    ].join('\n'),
  );
  return [
    ...(options.mode === 'create' ? [`create table inet ${table}`] : removalLines(table)),
    `table inet ${table} {`,
    `  set live { type nf_proto; flags timeout; elements = { ipv4${timeout}, ipv6${timeout} }; }`,
    ...chains,
    '}',
    '',
  ].join('\n');
}

/** Removes a table, also where there is none. Pure. */
export function nftRemoval(table: string): string {
  return [...removalLines(table), ''].join('\n');
}

export function hooksOf(rules: readonly FirewallRule[]): readonly FirewallRule['hook'][] {
  return [...new Set(rules.map((rule) => rule.hook))].sort();
}

function removalLines(table: string): readonly string[] {
  return [`add table inet ${table}`, `delete table inet ${table}`];
}

function textOf(rule: FirewallRule): string {
  const interfaceKey = rule.hook === 'input' ? 'iifname' : 'oifname';
  const port = `${rule.protocol} ${rule.side === 'destination' ? 'dport' : 'sport'} ${rule.port}`;
  const parts = [`${interfaceKey} != "lo"`, 'meta nfproto @live', port, flagsOf(rule), 'counter', verdictOf(rule)];
  return parts.filter((part) => part !== '').join(' ');
}

function flagsOf({ packets }: FirewallRule): string {
  switch (packets) {
    case 'opening':
      return 'tcp flags & (fin | syn | rst | ack) == syn';
    case 'no_reset':
      return 'tcp flags & rst == 0x0';
    case 'all':
      return '';
    default:
      return assertNever(packets);
  }
}

function verdictOf({ verdict }: FirewallRule): string {
  switch (verdict) {
    case 'tcp_reset':
      return 'reject with tcp reset';
    case 'port_unreachable':
      return 'reject with icmpx type port-unreachable';
    case 'drop':
      return 'drop';
    default:
      return assertNever(verdict);
  }
}
