import { describe, expect, it } from 'vitest';
import { MayhemErrors } from '../model/error.js';
import { parseDotEnv } from './dot-env.js';

const read = (text: string, shell: Record<string, string> = {}) =>
  Object.fromEntries(parseDotEnv({ source: { file: '.env', text }, shell: (name) => shell[name] }));

describe('a .env file', () => {
  it('is read as docker compose reads it', () => {
    const text = `A="x y" # c\nB=v#n\nC='$A'\nD=\${A}\nexport E=1\nF\nG=plain # comment\n\n# only a comment\nH = spaced \nI=\nJ: colon\n`;
    expect(read(text, { A: 'shell' })).toEqual({
      A: 'x y',
      B: 'v#n',
      C: '$A',
      D: 'shell',
      E: '1',
      G: 'plain',
      H: 'spaced',
      I: '',
      J: 'colon',
    });
  });

  it('keeps values over several lines in quotes, and reads what follows them', () => {
    expect(read('A="one\ntwo"\nB=\'three\nfour\'\nC=5\n')).toEqual({ A: 'one\ntwo', B: 'three\nfour', C: '5' });
  });

  it('reads CRLF line ends as it reads LF', () => {
    expect(read('A=1\r\nB="2"\r\n# c\r\nC=3')).toEqual({ A: '1', B: '2', C: '3' });
  });

  it('resolves escapes in double quotes only', () => {
    expect(read('A="a\\nb \\"q\\" \\$A"\nB=\'a\\nb\'\n')).toEqual({ A: 'a\nb "q" $A', B: 'a\\nb' });
  });

  it('uses variables set above, and blank text for those that are not set', () => {
    expect(read('A=1\nB=$A$A\nC=${NOPE}x\n')).toEqual({ A: '1', B: '11', C: 'x' });
  });

  it('reports every bad line with its place', () => {
    let errors: MayhemErrors | null = null;
    try {
      read('A=1\n1B=2\nC="open\nD=${A\n');
    } catch (error) {
      errors = error as MayhemErrors;
    }
    expect(errors).toBeInstanceOf(MayhemErrors);
    expect(errors?.errors.map((error) => error.place?.line)).toEqual([2, 3, 4]);
  });
});
