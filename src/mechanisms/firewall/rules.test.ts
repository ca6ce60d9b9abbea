import { describe, expect, it } from 'vitest';
import type { FirewallParams } from './params.js';
import { rulesOf } from './rules.js';

const params: FirewallParams = { action: 'refuse', protocol: 'tcp', port: 80, direction: 'both' };
const summary = (given: Partial<FirewallParams>) =>
  rulesOf({ ...params, ...given }).map((rule) => `${rule.hook} ${rule.side} ${rule.packets} ${rule.verdict}`);

describe('the rules of a firewall fault', () => {
  it('meet packets to the port on their way in, out, or both, as its direction says', () => {
    const inward = 'input destination opening tcp_reset';
    const outward = 'output destination opening tcp_reset';
    expect(summary({ direction: 'ingress' })).toEqual([inward]);
    expect(summary({ direction: 'egress' })).toEqual([outward]);
    expect(summary({ direction: 'both' })).toEqual([inward, outward]);
  });

  it('refuse datagrams all, since nothing opens a connection there', () => {
    const refused = 'input destination all port_unreachable';
    expect(summary({ protocol: 'udp', direction: 'ingress' })).toEqual([refused]);
    expect(summary({ protocol: 'udp', action: 'reset', direction: 'ingress' })).toEqual([refused]);
  });

  it('reset both ends of an open connection: requests where they are met, answers on their way back', () => {
    expect(summary({ action: 'reset', direction: 'egress' })).toEqual([
      'output destination no_reset tcp_reset',
      'input source no_reset tcp_reset',
    ]);
  });

  it('drop without an answer', () => {
    expect(summary({ action: 'drop', direction: 'egress' })).toEqual(['output destination all drop']);
  });
});
