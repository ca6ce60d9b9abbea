import { describe, expect, it } from 'vitest';
import type { NftTable } from '../../engines/host/nft.js';
import { stateOf } from './nft-backend.js';
import { rulesOf } from './rules.js';

const rules = rulesOf({ action: 'refuse', protocol: 'tcp', port: 80, direction: 'both' });
const rule = { comment: 'mayhem lease=l-1 installation=i until=60000', packets: 0 };
const chain = (name: string, count = 1) => ({ name, hook: name, rules: Array.from({ length: count }, () => rule) });
const table = (given: Partial<NftTable>): NftTable => ({
  chains: [chain('input'), chain('output')],
  elements: 2,
  ...given,
});
const state = (given: Partial<NftTable>, uptimeMs = 10_000) => stateOf({ table: table(given), rules, uptimeMs });

describe("a lease's table as read back", () => {
  it('is live with all its rules and elements', () => {
    expect(state({})).toBe('live');
  });

  it('is expired when its elements are gone at their time, damaged when they went before', () => {
    expect(state({ elements: 0 }, 60_000)).toBe('expired');
    expect(state({ elements: 0 }, 59_000)).toBe('damaged');
    expect(state({ elements: 1 }, 59_000)).toBe('damaged');
  });

  it('is damaged without a chain, a hook or a rule', () => {
    expect(state({ chains: [chain('input')] })).toBe('damaged');
    expect(state({ chains: [chain('input'), { ...chain('output'), hook: null }] })).toBe('damaged');
    expect(state({ chains: [chain('input', 0), chain('output')] })).toBe('damaged');
  });

  it('is altered with a rule or chain that we did not place', () => {
    expect(state({ chains: [chain('input', 2), chain('output')] })).toBe('altered');
    expect(state({ chains: [chain('input'), chain('output'), chain('forward')] })).toBe('altered');
  });
});
