import type { IptablesFamily } from '../../engines/host/iptables.js';
import { assertNever } from '../../model/error.js';
import type { FirewallRule } from './rules.js';

/** A chain's name may have 28 characters: this is 26 at most. */
export function chainOf(options: { readonly name: string; readonly hook: FirewallRule['hook'] }): string {
  return `${options.name}_${options.hook === 'input' ? 'in' : 'out'}`.slice(0, 28);
}

/**
 * A lease's rules as lines for iptables-restore(8): chains of our own, each called first in its hook. Rules end at a second of the wall
 * clock (`--datestop`, UTC; iptables-extensions(8)). `untilMs` null: for as long as they stay. Pure.
 */
export function iptablesLines(options: {
  readonly family: IptablesFamily;
  readonly name: string;
  readonly rules: readonly FirewallRule[];
  readonly mark: string;
  readonly untilMs: number | null;
}): readonly string[] {
  const { name, rules, mark } = options;
  const hooks = [...new Set(rules.map((rule) => rule.hook))];
  const comment = `-m comment --comment "${mark}"`;
  const time = options.untilMs === null ? '' : ` -m time --datestop ${datestopOf(options.untilMs)}`;
  return [
    ...hooks.map((hook) => `:${chainOf({ name, hook })} - [0:0]`),
    ...rules.map(
      (rule) =>
        `-A ${chainOf({ name, hook: rule.hook })} ${matchOf(rule)}${time} ${comment} ${verdictOf(rule, options.family)}`,
    ),
    ...hooks.map((hook) => {
      const notLoopback = hook === 'input' ? '! -i lo' : '! -o lo';
      return `-I ${hook.toUpperCase()} 1 ${notLoopback} ${comment} -j ${chainOf({ name, hook })}`;
    }),
  ];
}

/** Lines that remove what is ours among the saved ones: calls of our chains, then the chains. Pure. */
export function iptablesRemoval(options: {
  readonly name: string;
  readonly saved: readonly string[];
}): readonly string[] {
  const chains = ownChains(options);
  return [
    ...callsOf(options).map((line) => line.replace(/^-A/, '-D')),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
  ];
}

/** Our chains among the saved lines. Pure. */
export function ownChains(options: { readonly name: string; readonly saved: readonly string[] }): readonly string[] {
  const names = (['input', 'output'] as const).map((hook) => chainOf({ name: options.name, hook }));
  return names.filter((chain) => options.saved.some((line) => line.startsWith(`:${chain} `)));
}

/** The saved lines that call one of our chains. Pure. */
export function callsOf(options: { readonly name: string; readonly saved: readonly string[] }): readonly string[] {
  return options.saved.filter((line) =>
    ownChains(options).some((chain) => line.startsWith('-A ') && line.endsWith(` -j ${chain}`)),
  );
}

/** The moment after which a saved rule meets no packet, in milliseconds since the epoch; null: it does not end. Pure. */
export function endOf(line: string): number | null {
  const [, date] = / --datestop (\S+)/.exec(line) ?? [];
  return date === undefined ? null : Date.parse(`${date}Z`) + 1_000;
}

/** The second that this moment is in: the last in which the rule still meets packets. */
function datestopOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

function matchOf(rule: FirewallRule): string {
  const port = `-p ${rule.protocol} -m ${rule.protocol} --${rule.side === 'destination' ? 'dport' : 'sport'} ${rule.port}`;
  switch (rule.packets) {
    case 'opening':
      return `${port} --tcp-flags FIN,SYN,RST,ACK SYN`;
    case 'no_reset':
      return `${port} ! --tcp-flags RST RST`;
    case 'all':
      return port;
    default:
      return assertNever(rule.packets);
  }
}

function verdictOf({ verdict }: FirewallRule, family: IptablesFamily): string {
  switch (verdict) {
    case 'tcp_reset':
      return '-j REJECT --reject-with tcp-reset';
    case 'port_unreachable':
      return `-j REJECT --reject-with ${family === 'iptables' ? 'icmp' : 'icmp6'}-port-unreachable`;
    case 'drop':
      return '-j DROP';
    default:
      return assertNever(verdict);
  }
}
