import { describe, expect, it } from 'vitest';
import type { ContainerTarget } from '../../model/lease.js';
import { firewallContract } from './contract.js';
import { readFirewallParams } from './params.js';

const target = { engine_id: 'e', container_id: 'c1', netns: '77' } as ContainerTarget;
const params = { action: 'refuse', port: 80, protocol: 'tcp', direction: 'both' };

describe('a firewall lease', () => {
  it('owns its network namespace, which containers may share', () => {
    expect(firewallContract.resources({ target, params })).toEqual(['e/netns:77/net']);
    expect(firewallContract.resources({ target: { ...target, netns: null }, params })).toEqual(['e/c1/net']);
  });

  it.each([
    { port: 0 },
    { port: 65_536 },
    { port: '80' },
    { port: 1.5 },
    { protocol: 'tcp; flush ruleset' },
    { direction: 'inward' },
    { action: 'accept' },
  ])('is refused with %j, wherever its record comes from', (wrong) => {
    expect(readFirewallParams(params)).toEqual(params);
    expect(() => readFirewallParams({ ...params, ...wrong })).toThrow("the firewall's");
  });
});
