import { describe, expect, it } from 'vitest';
import { nftRemoval, nftScript } from './nft-script.js';
import { rulesOf } from './rules.js';

const rules = rulesOf({ action: 'refuse', protocol: 'tcp', port: 8080, direction: 'both' });
const options = { table: 'mayhem_1a', rules, mark: 'mayhem lease=l-1a', lifetimeMs: 33_500 } as const;

describe('the script of a table', () => {
  it('holds the rules, each gated by the set that the kernel empties', () => {
    expect(nftScript({ ...options, mode: 'create' })).toBe(`create table inet mayhem_1a
table inet mayhem_1a {
  set live { type nf_proto; flags timeout; elements = { ipv4 timeout 33500ms, ipv6 timeout 33500ms }; }
  chain input {
    type filter hook input priority -150; policy accept;
    iifname != "lo" meta nfproto @live tcp dport 8080 tcp flags & (fin | syn | rst | ack) == syn counter reject with tcp reset comment "mayhem lease=l-1a"
  }
  chain output {
    type filter hook output priority -150; policy accept;
    oifname != "lo" meta nfproto @live tcp dport 8080 tcp flags & (fin | syn | rst | ack) == syn counter reject with tcp reset comment "mayhem lease=l-1a"
  }
}
`);
  });

  it('replaces what an earlier attempt left, and nothing else, in the same transaction', () => {
    const [first, second, third] = nftScript({ ...options, mode: 'replace' }).split('\n');
    expect([first, second, third]).toEqual([
      'add table inet mayhem_1a',
      'delete table inet mayhem_1a',
      'table inet mayhem_1a {',
    ]);
    expect(nftRemoval('mayhem_1a')).toBe('add table inet mayhem_1a\ndelete table inet mayhem_1a\n');
  });

  it('has no timeout where the rules are to stay', () => {
    expect(nftScript({ ...options, lifetimeMs: null, mode: 'create' })).toContain('elements = { ipv4, ipv6 };');
  });

  it('says each verdict in the words of nft', () => {
    const ruleOf = (action: 'reset' | 'drop' | 'refuse', protocol: 'tcp' | 'udp') =>
      nftScript({ ...options, rules: rulesOf({ action, protocol, port: 53, direction: 'ingress' }), mode: 'create' })
        .split('\n')
        .filter((line) => line.includes('@live'))
        .map((line) => line.trim().replace(/ comment .*/, ''));
    expect(ruleOf('refuse', 'udp')).toEqual([
      'iifname != "lo" meta nfproto @live udp dport 53 counter reject with icmpx type port-unreachable',
    ]);
    expect(ruleOf('reset', 'tcp')).toEqual([
      'iifname != "lo" meta nfproto @live tcp dport 53 tcp flags & rst == 0x0 counter reject with tcp reset',
      'oifname != "lo" meta nfproto @live tcp sport 53 tcp flags & rst == 0x0 counter reject with tcp reset',
    ]);
    expect(ruleOf('drop', 'udp')).toEqual(['iifname != "lo" meta nfproto @live udp dport 53 counter drop']);
  });
});
