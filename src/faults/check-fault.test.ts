import { describe, expect, it } from 'vitest';
import type { FaultEntry, ParamSpec } from '../model/fault.js';
import { checkFault } from './check-fault.js';

const params: readonly ParamSpec[] = [
  { name: 'port', type: 'integer', required: true, min: 1, max: 65_535, help: 'the port' },
  { name: 'percent', type: 'percent', min: 1, default: 80, help: 'a share' },
  { name: 'seconds', type: 'duration', help: 'a time' },
  { name: 'amount', type: 'bytes', help: 'a size' },
  { name: 'direction', type: 'string', default: 'both', values: ['both', 'egress'], help: 'a direction' },
  { name: 'hard', type: 'boolean', help: 'a switch' },
];
const entry: FaultEntry = {
  id: 'test.fault',
  aliases: ['test.alias'],
  lane: 'container',
  category: 'test',
  risk: 'low',
  capMs: 60_000,
  kinds: ['container'],
  undoOutcomes: ['restored'],
  params,
  mechanism: 'pause',
  mechanismParams: (given) => given,
  effect: 'none',
  sample: { params: { port: 1 }, durationMs: 1000 },
};
const check = (given: Record<string, unknown>, durationMs: number | null = 1000) =>
  checkFault({ catalog: [entry], fault: 'test.fault', durationMs, params: given });

describe('an authored fault', () => {
  it('gets its parameters read into normal form and defaulted', () => {
    const { params: read, problems } = check({
      port: '80',
      percent: 50.5,
      seconds: '1m30s',
      amount: '64M',
      hard: false,
    });
    expect(problems).toEqual([]);
    expect(read).toEqual({ port: 80, percent: 50.5, seconds: 90, amount: 67_108_864, direction: 'both', hard: false });
  });

  it('means the same when its read parameters are checked again', () => {
    const once = check({ port: 3.0, seconds: 2, amount: '1K' }).params;
    expect(check(once).params).toEqual(once);
  });

  it.each([
    [{}, 'needs the parameter "port"'],
    [{ port: 0 }, 'from 1 to 65535, found 0'],
    [{ port: 1.5 }, 'expected a whole number'],
    [{ port: true }, 'expected a whole number, found true'],
    [{ port: 1, percent: 101 }, 'from 1 to 100'],
    [{ port: 1, percent: '50%' }, 'expected a number'],
    [{ port: 1, seconds: '1d' }, 'expected a duration'],
    [{ port: 1, amount: '64m' }, 'expected a size'],
    [{ port: 1, direction: 'ingres' }, 'expected one of both, egress'],
    [{ port: 1, direction: 5 }, 'expected text'],
    [{ port: 1, hard: 'yes' }, 'expected true or false'],
    [{ port: null }, 'found nothing'],
  ])('with %j is refused', (given, message) => {
    const { problems } = check(given);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
  });

  it('with an unknown parameter is refused with the nearest key, of the table or of the entry', () => {
    const { problems } = check({ port: 1, prot: 2, durtion: 3 });
    expect(problems.map((problem) => problem.hint)).toEqual(['did you mean "port"?', 'did you mean "duration"?']);
  });

  it('is found by alias, and its duration is held against the cap', () => {
    const checked = checkFault({ catalog: [entry], fault: 'test.alias', durationMs: 60_001, params: { port: 1 } });
    expect(checked.entry).toBe(entry);
    expect(checked.problems.map((problem) => problem.about.part)).toEqual(['duration']);
    expect(check({ port: 1 }, 60_000).problems).toEqual([]);
  });

  it('reports all that is wrong at once', () => {
    expect(check({ prt: 1, percent: 0, seconds: 'x' }, 99_000_000).problems).toHaveLength(5);
  });

  it('of the published catalog but not built is told as such, an unknown one with the nearest', () => {
    const of = (fault: string) => checkFault({ catalog: [entry], fault, durationMs: 1, params: {} }).problems[0];
    expect(of('net.latency')).toMatchObject({ kind: 'unsupported' });
    expect(of('net.latancy')).toMatchObject({ kind: 'invalid', hint: 'did you mean "net.latency"?' });
  });
});
