import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interpolate } from './interpolate.js';

const env: Readonly<Record<string, string>> = { SET: 'a', EMPTY: '' };
const run = (text: string) => interpolate({ text, lookup: (name) => env[name] });
const valueOf = (text: string) => {
  const result = run(text);
  return result.ok ? result.value : `problem: ${result.problem}`;
};

describe('interpolation', () => {
  it.each([
    ['$SET', 'a'],
    ['${SET}', 'a'],
    ['${SET:-${X}}', 'a'],
    ['${EMPTY:-b}', 'b'],
    ['${EMPTY-b}', ''],
    ['${NOPE-b}', 'b'],
    ['${NOPE:-${EMPTY:-c}}', 'c'],
    ['${SET:+on}', 'on'],
    ['${EMPTY:+on}', ''],
    ['${EMPTY+on}', 'on'],
    ['${NOPE+on}', ''],
    ['$$HOME', '$HOME'],
    ['$${SET}', '${SET}'],
    ['p-$SET-q', 'p-a-q'],
    ['^/ok$', '^/ok$'],
    ['5$ off', '5$ off'],
    ['${SET?x}${SET}', 'aa'],
    ['${NOPE:-a$$b}', 'a$b'],
    ['', ''],
  ])('gives %s the value %s', (text, value) => {
    expect(valueOf(text)).toBe(value);
  });

  it('reports a required variable that is missing, with its message replaced too', () => {
    expect(valueOf('${NOPE:?need NOPE for ${SET}}')).toBe(
      'problem: required variable NOPE is missing a value: need NOPE for a',
    );
    expect(valueOf('${EMPTY:?}')).toBe('problem: required variable EMPTY is missing a value');
    expect(valueOf('${EMPTY?}')).toBe('');
  });

  it.each(['${SET', '${SET:-x', '${NOPE:-${SET}', '${}', '${1}', '${SET!x}', '${SET:x}'])('refuses %s', (text) => {
    expect(run(text).ok).toBe(false);
  });

  it('neither warns nor fails for branches that are not taken', () => {
    expect(run('${SET:-${NOPE}}')).toEqual({ ok: true, value: 'a', unset: [] });
    expect(run('${SET:-${NOPE:?no}}')).toEqual({ ok: true, value: 'a', unset: [] });
    expect(run('${SET:-${A:-${B:?no}${NOPE}}}')).toEqual({ ok: true, value: 'a', unset: [] });
    expect(run('${NOPE:+${OTHER:?no}}')).toEqual({ ok: true, value: '', unset: [] });
  });

  it('names the variables that became blank for want of a value', () => {
    expect(run('$NOPE ${OTHER} ${NOPE}')).toEqual({ ok: true, value: '  ', unset: ['NOPE', 'OTHER'] });
  });

  it('leaves a text whose dollar signs are doubled as it was, whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', '?', '+', 'S', 'E', 'T', ' ') }),
        (text) => {
          expect(valueOf(text.replaceAll('$', '$$$$'))).toBe(text);
        },
      ),
    );
  });

  it('agrees with a naive evaluation of random nested expressions', () => {
    type Expr = { readonly text: string; readonly value: string };
    const literal = fc.constantFrom('x', 'yz', '').map((text): Expr => ({ text, value: text }));
    const { expr } = fc.letrec<{ expr: Expr }>((tie) => ({
      expr: fc.oneof(
        { depthSize: 'small' },
        literal,
        fc
          .tuple(
            fc.constantFrom('SET', 'EMPTY', 'NOPE'),
            fc.constantFrom(':-', '-', ':+', '+'),
            tie('expr'),
            tie('expr'),
          )
          .map(([name, operator, branch, after]): Expr => {
            const given = env[name];
            const present = given !== undefined && (operator.length === 1 || given !== '');
            const own = operator.endsWith('+')
              ? present
                ? branch.value
                : ''
              : present
                ? (given as string)
                : branch.value;
            return { text: `\${${name}${operator}${branch.text}}${after.text}`, value: own + after.value };
          }),
      ),
    }));
    fc.assert(
      fc.property(expr, ({ text, value }) => {
        expect(valueOf(text)).toBe(value);
      }),
    );
  });

  it('returns or reports, and never throws, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', '?', '+', 'A', '1', '\n') }), (text) => {
        expect(run(text)).toHaveProperty('ok');
      }),
    );
  });
});
