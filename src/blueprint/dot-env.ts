import { MayhemError, MayhemErrors } from '../model/error.js';
import { LineIndex } from '../source/line-index.js';
import type { Source } from '../source/read-source.js';
import { interpolate, type Lookup } from './interpolate.js';

const KEY = /[A-Za-z_][A-Za-z0-9_.[\]-]*/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$$' };

/**
 * Reads a `.env` file as docker compose does (docs.docker.com/compose/how-tos/environment-variables/variable-interpolation): quotes,
 * `export`, comments after white space, values over several lines in quotes. Values in double quotes or none may use variables: `shell`
 * first, then those set above. A name without `=` is left to the shell. Throws MayhemErrors with the place of each bad line.
 */
export function parseDotEnv(options: { readonly source: Source; readonly shell: Lookup }): ReadonlyMap<string, string> {
  const { shell } = options;
  const text = options.source.text.replace(/\r\n?/g, '\n');
  const lines = new LineIndex({ file: options.source.file, text });
  const values = new Map<string, string>();
  const errors: MayhemError[] = [];
  const lookup: Lookup = (name) => shell(name) ?? values.get(name);

  let at = 0;
  while (at < text.length) {
    const begin = at;
    const lineEnd = endOfLine(text, at);
    const line = text.slice(at, lineEnd);
    at = lineEnd + 1;
    const lead = /^\s*(?:export[ \t]+)?/.exec(line)?.[0].length ?? 0;
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    KEY.lastIndex = lead;
    const key = KEY.exec(line)?.[0];
    const rest = key === undefined ? '' : line.slice(lead + key.length).trimStart();
    const fail = (problem: string) =>
      errors.push(new MayhemError('blueprint.invalid', problem, { place: lines.placeAt(begin + lead) }));
    if (key === undefined || (rest !== '' && !/^[=:#]/.test(rest))) {
      fail('expected NAME=value');
      continue;
    }
    if (rest === '' || rest.startsWith('#')) continue;
    const valueStart = begin + line.length - rest.length + 1;
    const raw = readValue({ text, at: valueStart });
    if ('problem' in raw) {
      fail(`${key}: ${raw.problem}`);
      continue;
    }
    at = Math.max(at, raw.next);
    const value = raw.literal ? { ok: true as const, value: raw.value } : interpolate({ text: raw.value, lookup });
    if (value.ok) values.set(key, value.value);
    else fail(`${key}: ${value.problem}`);
  }
  if (errors.length > 0) throw new MayhemErrors(errors);
  return values;
}

type RawValue =
  | { readonly value: string; readonly literal: boolean; readonly next: number }
  | { readonly problem: string };

function readValue(options: { readonly text: string; readonly at: number }): RawValue {
  const { text } = options;
  let at = options.at;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  const quote = text[at];
  if (quote !== '"' && quote !== "'") {
    const end = endOfLine(text, at);
    // A # begins a comment only after white space.
    const value = text
      .slice(at, end)
      .replace(/(^|\s)#.*$/, '')
      .trim();
    return { value, literal: false, next: end + 1 };
  }
  let value = '';
  for (at += 1; at < text.length && text[at] !== quote; at += 1) {
    const char = text[at] as string;
    const escaped = quote === '"' && char === '\\' ? ESCAPES[text[at + 1] ?? ''] : undefined;
    if (escaped === undefined) value += char;
    else {
      value += escaped;
      at += 1;
    }
  }
  if (at >= text.length) return { problem: `the quote ${quote} is not closed` };
  const end = endOfLine(text, at);
  const after = text.slice(at + 1, end).trim();
  if (after !== '' && !after.startsWith('#')) return { problem: 'text follows the closing quote' };
  return { value, literal: quote === "'", next: end + 1 };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}
