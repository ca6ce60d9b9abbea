import type { z } from 'zod';
import { type ErrorCode, MayhemError } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import { placeAtPath, type YamlNode } from '../source/yaml-node.js';
import { found, type IssueParams } from './values.js';

export interface Checked<T> {
  /** null when there are errors. */
  readonly value: T | null;
  readonly errors: readonly MayhemError[];
  readonly notices: readonly Notice[];
}

interface CheckOptions<S extends z.ZodType> {
  readonly schema: S;
  /** The tree the plain value was made from: where the places come from. */
  readonly root: YamlNode;
  readonly plain: unknown;
  readonly lenient: boolean;
  readonly codes: { readonly invalid: ErrorCode; readonly unsupported: ErrorCode };
}

/**
 * Checks a document's plain value against a schema and turns every issue into an error with its place. Unknown keys are errors
 * with the nearest known key as hint, or warnings under `lenient`.
 */
export function checkSchema<S extends z.ZodType>(options: CheckOptions<S>): Checked<z.output<S>> {
  const { schema, root, codes } = options;
  // Issues do not say which keys or words would have been right; the raw ones shown to this callback do.
  const known = new Map<string, readonly string[]>();
  const result = schema.safeParse(options.plain, {
    error: (issue) => {
      const words = knownWords(issue);
      if (words !== null) known.set(pathText(issue.path ?? []), words);
      return undefined;
    },
  });
  if (result.success) return { value: result.data, errors: [], notices: [] };

  const errors: MayhemError[] = [];
  const notices: Notice[] = [];
  for (const issue of result.error.issues) {
    const words = known.get(pathText(issue.path)) ?? [];
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) {
        const place = placeAtPath(root, [...issue.path, key]);
        const near = nearest({ word: key, candidates: words });
        const hint = near === null ? `known here: ${words.join(', ')}` : `did you mean "${near}"?`;
        const message = `unknown key "${key}"${issue.path.length === 0 ? '' : ` in ${pathText(issue.path)}`}`;
        if (options.lenient) notices.push({ level: 'warning', message: `${message}, ignored; ${hint}`, place });
        else errors.push(new MayhemError(codes.invalid, message, { hint, place }));
      }
      continue;
    }
    const params = (issue.code === 'custom' ? issue.params : undefined) as IssueParams | undefined;
    const hint = params?.hint;
    errors.push(
      new MayhemError(
        params?.unsupported === true ? codes.unsupported : codes.invalid,
        messageOf({ issue, plain: options.plain, words }),
        { place: placeAtPath(root, issue.path), ...(hint === undefined ? {} : { hint }) },
      ),
    );
  }
  if (errors.length > 0) return { value: null, errors, notices };
  // Only unknown keys, under `lenient`: what the rest means is read again without them.
  const cleaned = schema.safeParse(withoutKeys(options.plain, result.error.issues));
  return { value: cleaned.success ? cleaned.data : null, errors, notices };
}

/** A path as users read it: `containers.api.faults[0].duration`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function messageOf(options: {
  readonly issue: z.core.$ZodIssue;
  readonly plain: unknown;
  readonly words: readonly string[];
}): string {
  const { issue, words } = options;
  const where = issue.path.length === 0 ? 'the document' : pathText(issue.path);
  const given = valueAt(options.plain, issue.path);
  if (given === undefined) return `${where} is required`;
  switch (issue.code) {
    case 'custom':
      return issue.message.startsWith('is ') ? `${where} ${issue.message}` : `${where}: ${issue.message}`;
    case 'invalid_type':
      return `${where}: expected ${wantedText(issue.expected)}, found ${found(given)}`;
    case 'invalid_union':
      return words.length === 0
        ? `${where}: ${issue.message}`
        : `${where}: expected one of ${words.join(', ')}, found ${found(given)}`;
    case 'too_small':
      return `${where} is empty`;
    default:
      return `${where}: ${issue.message}`;
  }
}

function wantedText(expected: string): string {
  if (expected === 'array') return 'a list';
  if (expected === 'object' || expected === 'record') return 'a map';
  return expected === 'string' ? 'text' : expected;
}

/** The keys an object schema knows, or the words its discriminator may be. */
function knownWords(issue: z.core.$ZodRawIssue): readonly string[] | null {
  const def = issue.inst?._zod.def as
    | { shape?: Record<string, unknown>; options?: readonly z.core.$ZodType[]; discriminator?: string }
    | undefined;
  if (issue.code === 'unrecognized_keys' && def?.shape !== undefined) return Object.keys(def.shape);
  const discriminator = def?.discriminator;
  if (issue.code !== 'invalid_union' || def?.options === undefined || discriminator === undefined) return null;
  return def.options.flatMap((option) => [...(option._zod.propValues?.[discriminator] ?? [])].map(String));
}

function valueAt(plain: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      at !== null && typeof at === 'object' && Object.hasOwn(at, part)
        ? (at as Record<PropertyKey, unknown>)[part]
        : undefined,
    plain,
  );
}

function withoutKeys(plain: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const copy: unknown = structuredClone(plain);
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const holder = valueAt(copy, issue.path) as Record<string, unknown>;
    for (const key of issue.keys) delete holder[key];
  }
  return copy;
}
