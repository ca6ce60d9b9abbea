import { describe, expect, it } from 'vitest';
import { stateOfFamily } from './iptables-backend.js';
import { endOf, iptablesLines, iptablesRemoval } from './iptables-lines.js';
import { rulesOf } from './rules.js';

const rules = rulesOf({ action: 'refuse', protocol: 'tcp', port: 8080, direction: 'both' });
const untilMs = Date.parse('2026-01-02T03:04:05.600Z');
const options = { family: 'iptables', name: 'mayhem_1a', rules, mark: 'mayhem lease=l-1a', untilMs } as const;

/** As iptables-save writes what iptables-restore was given, beside a rule of somebody else. */
const saved = [
  ':INPUT ACCEPT [0:0]',
  ':OUTPUT ACCEPT [0:0]',
  ':mayhem_1a_in - [0:0]',
  ':mayhem_1a_out - [0:0]',
  '-A INPUT ! -i lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_in',
  '-A INPUT -p tcp -m tcp --dport 9998 -j DROP',
  '-A OUTPUT ! -o lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_out',
  ...['in', 'out'].map(
    (hook) =>
      `-A mayhem_1a_${hook} -p tcp -m tcp --dport 8080 --tcp-flags FIN,SYN,RST,ACK SYN -m time --datestop 2026-01-02T03:04:05 -m comment --comment "mayhem lease=l-1a" -j REJECT --reject-with tcp-reset`,
  ),
];

describe('the lines for iptables', () => {
  it('make chains of our own, called first, whose rules end at a second', () => {
    const rule =
      '-p tcp -m tcp --dport 8080 --tcp-flags FIN,SYN,RST,ACK SYN -m time --datestop 2026-01-02T03:04:05 -m comment --comment "mayhem lease=l-1a" -j REJECT --reject-with tcp-reset';
    expect(iptablesLines(options)).toEqual([
      ':mayhem_1a_in - [0:0]',
      ':mayhem_1a_out - [0:0]',
      `-A mayhem_1a_in ${rule}`,
      `-A mayhem_1a_out ${rule}`,
      '-I INPUT 1 ! -i lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_in',
      '-I OUTPUT 1 ! -o lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_out',
    ]);
  });

  it('refuse datagrams by the word of their family, and end never where they are to stay', () => {
    const udp = rulesOf({ action: 'refuse', protocol: 'udp', port: 53, direction: 'ingress' });
    const [, rule] = iptablesLines({ ...options, family: 'ip6tables', rules: udp, untilMs: null });
    expect(rule).toBe(
      '-A mayhem_1a_in -p udp -m udp --dport 53 -m comment --comment "mayhem lease=l-1a" -j REJECT --reject-with icmp6-port-unreachable',
    );
  });

  it('remove what is ours and nothing else', () => {
    expect(iptablesRemoval({ name: 'mayhem_1a', saved })).toEqual([
      '-D INPUT ! -i lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_in',
      '-D OUTPUT ! -o lo -m comment --comment "mayhem lease=l-1a" -j mayhem_1a_out',
      '-F mayhem_1a_in',
      '-F mayhem_1a_out',
      '-X mayhem_1a_in',
      '-X mayhem_1a_out',
    ]);
    expect(iptablesRemoval({ name: 'mayhem_1b', saved })).toEqual([]);
  });

  it('tell when they end: with the second that they name', () => {
    expect(endOf(saved.at(-1) as string)).toBe(Date.parse('2026-01-02T03:04:06Z'));
    expect(endOf('-A INPUT -j DROP')).toBeNull();
  });
});

describe("a lease's chains as read back", () => {
  const state = (lines: readonly string[], nowMs = untilMs) =>
    stateOfFamily({ name: 'mayhem_1a', rules, saved: lines, nowMs });

  it('are live, and expired after their second', () => {
    expect(state(saved)).toBe('live');
    expect(state(saved, untilMs + 1_000)).toBe('expired');
  });

  it('are absent, damaged or altered when somebody changed them', () => {
    expect(state(saved.filter((line) => !line.includes('mayhem_1a')))).toBe('absent');
    expect(state(saved.filter((line) => !line.startsWith('-A OUTPUT')))).toBe('damaged');
    expect(state(saved.filter((line) => !line.startsWith('-A mayhem_1a_in')))).toBe('damaged');
    expect(state([...saved, '-A mayhem_1a_in -j ACCEPT'])).toBe('altered');
  });
});
