import { describe, expect, it } from 'vitest';
import { MayhemErrors } from '../model/error.js';
import { parseYaml } from './parse-yaml.js';
import { ExpansionBudget, plainOf } from './plain.js';
import { MAX_SOURCE_BYTES, sourceOf } from './read-source.js';
import { nodeAtPath, placeAtPath, type YamlNode } from './yaml-node.js';

const code = 'document.invalid';
const parse = (text: string) => parseYaml({ source: { file: 'f', text }, code });
const plain = (text: string) => plainOf(parse(text).root as YamlNode, new ExpansionBudget({ code }));
const errorsOf = (text: string): readonly string[] => {
  try {
    const { errors } = parse(text);
    return errors.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);
  } catch (error) {
    if (!(error instanceof MayhemErrors)) throw error;
    return error.errors.map(({ place, message }) => `${place?.line}:${place?.column} ${message}`);
  }
};

describe('a YAML document', () => {
  it('is read by the core schema of YAML 1.2: words stay words', () => {
    expect(plain('{a: yes, b: on, c: true, d: 0755, e: 0o17, f: 1.10, g: ~, h: , i: "5"}')).toEqual({
      a: 'yes',
      b: 'on',
      c: true,
      d: 755,
      e: 15,
      f: 1.1,
      g: null,
      h: null,
      i: '5',
    });
  });

  it('keeps the text of numbers, which their value may have lost', () => {
    const { root } = parse('a: 12345678901234567890\nb: 1.10\n');
    expect(nodeAtPath(root as YamlNode, ['a'])).toMatchObject({ text: '12345678901234567890' });
    expect(nodeAtPath(root as YamlNode, ['b'])).toMatchObject({ text: '1.10' });
  });

  it('knows the place of every key and item, with LF, CRLF and tabs between words', () => {
    for (const newline of ['\n', '\r\n']) {
      const { root } = parse(['# c', 'a:', '  - x', '  - b:\t1', ''].join(newline));
      expect(placeAtPath(root as YamlNode, ['a'])).toEqual({ file: 'f', line: 2, column: 1 });
      expect(placeAtPath(root as YamlNode, ['a', 0])).toEqual({ file: 'f', line: 3, column: 5 });
      expect(placeAtPath(root as YamlNode, ['a', 1, 'b'])).toEqual({ file: 'f', line: 4, column: 5 });
      expect(placeAtPath(root as YamlNode, ['a', 1, 'missing', 'x'])).toEqual({ file: 'f', line: 4, column: 5 });
    }
  });

  it('may give keys as numbers and booleans: they are text as written', () => {
    expect(plain('{1: a, 0x1: b, true: c}')).toEqual({ 1: 'a', '0x1': 'b', true: 'c' });
  });

  it.each([
    ['an open list', 'a: [', /^1:\d+ not valid YAML/],
    ['two colons', 'a: b: c', /^1:\d+ not valid YAML/],
    ['a tab as indent', 'a:\n\tb: 1', /^2:1 not valid YAML: Tabs/],
    ['several documents', 'a: 1\n---\nb: 2\n', /several YAML documents/],
    ['a duplicate key', 'a: 1\na: 2', /^2:1 the key "a" is given twice \(first on line 1\)/],
    ['an alias without anchor', 'a: *b', /no anchor &b/],
    ['an alias of its own parent', 'a: &x [*x]', /refers to a node that contains it/],
    ['a list as key', '{[a]: b}', /a key must be text/],
    ['an empty key', '{? : b}', /a key must be text/],
    ['the key __proto__', '__proto__: {a: 1}', /cannot be used as a key/],
    ['a scalar as merge', '<<: 5', /merge key \(<<\) takes a map/],
    ['endless lists', '['.repeat(100_000), /nested/],
    ['deep lists', '['.repeat(100) + ']'.repeat(100), /nested more than 64 levels deep/],
    ['deep maps', '{a: '.repeat(70) + '}'.repeat(70), /nested more than 64 levels deep/],
  ])('with %s is refused with its place', (_name, text, message) => {
    const errors = errorsOf(text);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.join('\n')).toMatch(message);
  });

  it('names tags that are not of the core schema', () => {
    expect(parse('{a: !reset null, b: !!str 5, c: !custom {x: 1}}').tags.map(({ tag }) => tag)).toEqual([
      '!reset',
      '!custom',
    ]);
  });

  it('does not reach the prototype of anything', () => {
    parse('constructor: {prototype: {polluted: 1}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(plain('constructor: 1')).toEqual({ constructor: 1 });
  });

  it('may not multiply by aliases or merges', () => {
    const bomb = `a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 11 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(',')}]`).join('\n')}`;
    expect(() => plain(bomb)).toThrow(/aliases/);
    const keys = Array.from({ length: 3000 }, (_, i) => `k${i}: 1`).join(', ');
    const merges = `x: &x {${keys}}\n${Array.from({ length: 3000 }, (_, i) => `m${i}: {<<: *x}`).join('\n')}`;
    expect(errorsOf(merges).join()).toMatch(/merge keys expand/);
  });

  it.each([
    ['keys', Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n')],
    ['items', `a: [${'x,'.repeat(200_000)}]`],
    ['anchors', Array.from({ length: 30_000 }, (_, i) => `k${i}: &a${i} 1`).join('\n')],
    ['quotes', `a: "${'\\"'.repeat(200_000)}"`],
    ['brackets', '[[],'.repeat(100_000)],
    ['question marks', '? '.repeat(200_000)],
    ['dashes', '- '.repeat(200_000)],
    ['comments', '#\n'.repeat(200_000)],
    ['garbage', '\u0000\uFFFD{]'.repeat(50_000)],
  ])('made of very many %s is answered in a bounded time', (_name, text) => {
    const begin = performance.now();
    errorsOf(text);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });
});

describe('the text of a document', () => {
  it('may begin with a byte-order mark', () => {
    expect(sourceOf({ file: 'f', bytes: new TextEncoder().encode('\uFEFFa: 1'), code }).text).toBe('a: 1');
  });

  it('is refused when it is not UTF-8 or too large', () => {
    expect(() => sourceOf({ file: 'f', bytes: new Uint8Array([0xff, 0xfe, 0x41]), code })).toThrow(/not UTF-8/);
    expect(() => sourceOf({ file: 'f', bytes: new Uint8Array(MAX_SOURCE_BYTES + 1), code })).toThrow(/too large/);
  });
});
