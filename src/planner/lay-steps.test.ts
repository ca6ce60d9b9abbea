import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckProbe } from '../model/probe.js';
import { type LayBlock, layOutSteps } from './lay-steps.js';

const check: CheckProbe = { id: null, probe: { type: 'tcp', host: 'db', port: 1, timeout_ms: 1 }, expect: {} };
const chains: Readonly<Record<string, readonly string[]>> = {
  a: ['a1', 'a2'],
  b: ['b1'],
  c: ['c1', 'c2', 'c3'],
  idle: [],
};
const idsOf = (blocks: readonly LayBlock[]) =>
  layOutSteps({ blocks, faultsOf: (name) => chains[name] ?? [] }).map((step) => `${step.block} ${step.step_id}`);

describe('the steps of a drill', () => {
  it('start chains of a parallel block together and go on after the longest', () => {
    expect(
      idsOf([
        { kind: 'parallel', names: ['a', 'b', 'idle'] },
        { kind: 'sequential', names: ['b'] },
      ]),
    ).toEqual(['0 a-0000', '0 a-0001', '0 b-0000', '0 idle-0000', '1 b-0002']);
  });

  it('follow each other in a sequential block, a name without faults taking one number', () => {
    expect(idsOf([{ kind: 'sequential', names: ['a', 'idle', 'b', 'a'] }])).toEqual([
      '0 a-0000',
      '0 a-0001',
      '0 idle-0002',
      '0 b-0003',
      '0 a-0004',
      '0 a-0005',
    ]);
  });

  it('number each probe of a check, with its place in the block', () => {
    expect(
      idsOf([
        { kind: 'sequential', names: ['c'] },
        { kind: 'wait', duration_ms: 5 },
        { kind: 'check', checks: [check, check] },
        { kind: 'wait', duration_ms: 5 },
      ]),
    ).toEqual(['0 c-0000', '0 c-0001', '0 c-0002', '1 wait-0003', '2 check-0004-0', '2 check-0005-1', '3 wait-0006']);
  });

  it('agree with a naive model for any drill', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'idle');
    const block = fc.oneof(
      fc.uniqueArray(name, { minLength: 1 }).map((names): LayBlock => ({ kind: 'parallel', names })),
      fc.array(name, { minLength: 1, maxLength: 4 }).map((names): LayBlock => ({ kind: 'sequential', names })),
      fc.constant<LayBlock>({ kind: 'wait', duration_ms: 1 }),
      fc.integer({ min: 1, max: 3 }).map((count): LayBlock => ({ kind: 'check', checks: Array(count).fill(check) })),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        expect(idsOf(blocks)).toEqual(naive(blocks));
      }),
    );
  });
});

/** The same by writing out, block by block, which columns of a table each thing takes. */
function naive(blocks: readonly LayBlock[]): readonly string[] {
  const pad = (seq: number) => `000${seq}`.slice(-4);
  const rows: string[] = [];
  const widths: number[] = [];
  for (const [index, block] of blocks.entries()) {
    const start = widths.reduce((sum, width) => sum + width, 0);
    const width = (name: string) => Math.max(chains[name]?.length ?? 0, 1);
    const row = (name: string, from: number) => {
      for (let i = 0; i < width(name); i++) rows.push(`${index} ${name}-${pad(from + i)}`);
    };
    if (block.kind === 'parallel') {
      for (const name of block.names) row(name, start);
      widths.push(Math.max(...block.names.map(width)));
    } else if (block.kind === 'sequential') {
      block.names.forEach((name, i) => {
        row(name, start + block.names.slice(0, i).reduce((sum, before) => sum + width(before), 0));
      });
      widths.push(block.names.reduce((sum, name) => sum + width(name), 0));
    } else if (block.kind === 'wait') {
      rows.push(`${index} wait-${pad(start)}`);
      widths.push(1);
    } else if (block.kind === 'check') {
      block.checks.forEach((_, i) => rows.push(`${index} check-${pad(start + i)}-${i}`));
      widths.push(block.checks.length);
    }
  }
  return rows;
}
