import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MayhemErrors } from '../model/error.js';
import { loadBlueprint } from './load-blueprint.js';

const INPUTS = fileURLToPath(new URL('../../../shared/inputs', import.meta.url));
const present = existsSync(`${INPUTS}/INDEX.md`);
if (!present) console.warn('SKIPPED: the collection of real compose files is not beside the repository');

interface Case {
  readonly files: readonly string[];
  /** A number of services, or `error: …`. */
  readonly expected: string;
}

/** Combinations of files of the collection's index, with what each should give. */
function cases(): readonly Case[] {
  if (!present) return [];
  let folder = '';
  return readFileSync(`${INPUTS}/INDEX.md`, 'utf8')
    .split('\n')
    .flatMap((line) => {
      folder = /^### (compose\/\S+)/.exec(line)?.[1] ?? (line.startsWith('### ') ? '' : folder);
      if (folder === '' || !line.startsWith('- Give together')) return [];
      return line
        .replace(/^.*?: /, '')
        .split(/; /)
        .map((combination) => {
          const [files, expected] = combination.split(' → ') as [string, string];
          return {
            files: [...files.matchAll(/`([^`]+)`/g)].map((match) => `${INPUTS}/${folder}/${match[1]}`),
            expected: expected.trim(),
          };
        });
    });
}

describe.skipIf(!present)('real compose files', () => {
  it('give the number of services they have, the error they deserve, or are refused for a part that is not built', async () => {
    const wrong: string[] = [];
    let read = 0;
    for (const { files, expected } of cases()) {
      const name = files.map((file) => file.slice(INPUTS.length)).join(' + ');
      try {
        const { blueprint } = await loadBlueprint({ files, dir: '.', env: {} });
        if (String(blueprint.services.length) !== expected)
          wrong.push(`${name}: ${blueprint.services.length}, not ${expected}`);
        read += 1;
      } catch (error) {
        if (!(error instanceof MayhemErrors)) throw error;
        const unbuilt = error.errors.some(({ code }) => code === 'blueprint.unsupported');
        if (!unbuilt && !expected.startsWith('error')) wrong.push(`${name}: ${error.message}, not ${expected}`);
        if (error.errors.some(({ place }) => place === undefined)) wrong.push(`${name}: an error without a place`);
      }
    }
    expect(wrong).toEqual([]);
    expect(read).toBeGreaterThan(30);
  }, 60_000);
});
