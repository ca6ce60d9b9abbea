import { describe, expect, it } from 'vitest';
import { parseNftTable } from './nft.js';

/** As nft 1.0.6 wrote it, shortened to what is read. */
const text = JSON.stringify({
  nftables: [
    { metainfo: { version: '1.0.6', json_schema_version: 1 } },
    { table: { family: 'inet', name: 'mayhem_1', handle: 3 } },
    {
      set: {
        family: 'inet',
        name: 'live',
        table: 'mayhem_1',
        type: 'nf_proto',
        flags: ['timeout'],
        elem: [
          { elem: { val: 'ipv4', timeout: 33, expires: 32 } },
          { elem: { val: 'ipv6', timeout: 33, expires: 32 } },
        ],
      },
    },
    { chain: { family: 'inet', table: 'mayhem_1', name: 'input', type: 'filter', hook: 'input', prio: -150 } },
    { chain: { family: 'inet', table: 'mayhem_1', name: 'other' } },
    {
      rule: {
        chain: 'input',
        comment: 'mayhem lease=l-1',
        expr: [{ match: { op: '==' } }, { counter: { packets: 3, bytes: 180 } }, { reject: { type: 'tcp reset' } }],
      },
    },
  ],
});

describe('a table of nft', () => {
  it('is read with its chains, rules, counters and elements', () => {
    expect(parseNftTable(text)).toEqual({
      elements: 2,
      chains: [
        { name: 'input', hook: 'input', rules: [{ comment: 'mayhem lease=l-1', packets: 3 }] },
        { name: 'other', hook: null, rules: [] },
      ],
    });
  });

  it('has no elements when the kernel has ended them all', () => {
    expect(parseNftTable('{"nftables": [{"set": {"name": "live"}}]}')).toEqual({ elements: 0, chains: [] });
  });

  it.each(['', 'Error', '{}'])('cannot be read from %j', (wrong) => {
    expect(() => parseNftTable(wrong)).toThrow('nft wrote no');
  });
});
