import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { type ErrorCode, MayhemError, MayhemErrors } from '../model/error.js';
import { LineIndex } from './line-index.js';
import type { Source } from './read-source.js';
import { describe, type YamlEntry, type YamlNode } from './yaml-node.js';

const MOST_SYNTAX_ERRORS = 20;
/** Deeper nesting is no document of ours, and would overflow the stack of whatever walks it. */
const DEEPEST = 64;
/** The parser's time grows with lines and with open brackets more than with bytes: past these bounds it is not asked. */
const MOST_LINES = 60_000;
const MOST_OPEN_BRACKETS = 1000;
/** Entries that merge keys may copy, all together, beside twenty times what the file holds. */
const MERGE_ALLOWANCE = 100_000;
const CORE_TAG = /^tag:yaml\.org,2002:(str|int|float|bool|null|map|seq)$/;

export interface ParsedYaml {
  /** null: the document is empty. */
  readonly root: YamlNode | null;
  /** Tags such as `!reset`, which the reader of the document may know; the core ones are not listed. */
  readonly tags: readonly { readonly tag: string; readonly node: YamlNode }[];
  /** What is wrong beside the syntax: duplicate keys, aliases without anchor, bad merges. The tree is usable all the same. */
  readonly errors: readonly MayhemError[];
}

/**
 * Parses one YAML 1.2 document (core schema, and merge keys as in YAML 1.1) into a tree with places. Throws MayhemErrors with
 * `code` when the text is no YAML, nested too deeply, or more than one document.
 */
export function parseYaml(options: { readonly source: Source; readonly code: ErrorCode }): ParsedYaml {
  const { source, code } = options;
  const lines = new LineIndex(source);
  refuseHostile({ source, lines, code });
  const document = parseSyntax({ source, code });
  const syntax = document.errors.slice(0, MOST_SYNTAX_ERRORS).map(
    (error) =>
      new MayhemError(code, syntaxMessage(error.code, error.message), {
        place: lines.placeAt(error.pos[0]),
        ...(error.code === 'TAB_AS_INDENT' ? { hint: 'indent with spaces' } : {}),
      }),
  );
  if (syntax.length > 0) throw new MayhemErrors(syntax);

  const builder = new TreeBuilder({ lines, code, length: source.text.length });
  const root = document.contents === null ? null : builder.build(document.contents as Node, 0);
  return { root, tags: builder.tags, errors: builder.errors };
}

function refuseHostile(options: {
  readonly source: Source;
  readonly lines: LineIndex;
  readonly code: ErrorCode;
}): void {
  const { source, lines, code } = options;
  const refuse = (offset: number, message: string) =>
    new MayhemErrors([new MayhemError(code, message, { place: lines.placeAt(offset) })]);
  if (lines.count > MOST_LINES)
    throw refuse(0, `${source.file} has ${lines.count} lines, at most ${MOST_LINES} are read`);
  let open = 0;
  for (const match of source.text.matchAll(/[[\]{}]/g)) {
    open = Math.max(0, open + (match[0] === '[' || match[0] === '{' ? 1 : -1));
    if (open > MOST_OPEN_BRACKETS)
      throw refuse(match.index, `more than ${MOST_OPEN_BRACKETS} brackets are open here: nested too deeply`);
  }
}

function parseSyntax(options: { readonly source: Source; readonly code: ErrorCode }): Document {
  try {
    return parseDocument(options.source.text, {
      version: '1.2',
      schema: 'core',
      merge: false,
      // Checked by the builder: the library compares each key with each, and names only one of the two places.
      uniqueKeys: false,
      strict: true,
      stringKeys: false,
      prettyErrors: false,
      keepSourceTokens: false,
      // 'silent' would also hide that there are several documents.
      logLevel: 'error',
    });
  } catch (error) {
    throw new MayhemErrors([
      new MayhemError(options.code, `${options.source.file} cannot be parsed: it is nested too deeply`, {
        place: { file: options.source.file, line: 1, column: 1 },
        cause: error,
      }),
    ]);
  }
}

function syntaxMessage(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'the file holds several YAML documents; one is wanted';
  return `not valid YAML: ${(message.split('\n')[0] ?? message).replace(/ at line \d+, column \d+:?$/, '')}`;
}

class TreeBuilder {
  readonly errors: MayhemError[] = [];
  readonly tags: { tag: string; node: YamlNode }[] = [];
  readonly #lines: LineIndex;
  readonly #code: ErrorCode;
  readonly #anchors = new Map<string, YamlNode | null>();
  #mergesLeft: number;

  constructor(options: { readonly lines: LineIndex; readonly code: ErrorCode; readonly length: number }) {
    this.#lines = options.lines;
    this.#code = options.code;
    this.#mergesLeft = MERGE_ALLOWANCE + 20 * options.length;
  }

  build(node: Node, depth: number): YamlNode {
    const offset = node.range?.[0] ?? 0;
    if (depth > DEEPEST) {
      throw new MayhemErrors([this.#error(offset, `nested more than ${DEEPEST} levels deep`)]);
    }
    if (isAlias(node)) return this.#alias(node.source, offset);
    const anchor = (node as { anchor?: string }).anchor;
    // Open while it is built: an alias inside it would make the document contain itself.
    if (anchor !== undefined) this.#anchors.set(anchor, null);
    const built = this.#content({ node, offset, depth });
    if (anchor !== undefined) this.#anchors.set(anchor, built);
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) this.tags.push({ tag: node.tag, node: built });
    return built;
  }

  #content(options: { readonly node: Node; readonly offset: number; readonly depth: number }): YamlNode {
    const { node, offset, depth } = options;
    const base = { lines: this.#lines, offset };
    if (isMap(node)) return { kind: 'map', ...base, entries: this.#entries(node, depth) };
    if (isSeq(node)) {
      return { kind: 'list', ...base, items: node.items.map((item) => this.build(item as Node, depth + 1)) };
    }
    const value: unknown = isScalar(node) ? node.value : null;
    const written = isScalar(node) && node.type === 'PLAIN' ? node.source : undefined;
    if (typeof value === 'number') return { kind: 'scalar', ...base, value, text: written ?? String(value) };
    if (value === null || typeof value === 'boolean') {
      return { kind: 'scalar', ...base, value, text: written ?? String(value ?? '') };
    }
    const text = typeof value === 'string' ? value : (written ?? '');
    return { kind: 'scalar', ...base, value: text, text };
  }

  #entries(map: YAMLMap, depth: number): ReadonlyMap<string, YamlEntry> {
    const own = new Map<string, YamlEntry>();
    const merges: YamlNode[] = [];
    let mergeOffset: number | null = null;
    for (const pair of map.items) {
      const keyNode = pair.key as Node | null;
      const keyOffset = keyNode?.range?.[0] ?? map.range?.[0] ?? 0;
      const key = this.#key(keyNode, keyOffset);
      const value =
        pair.value === null
          ? ({ kind: 'scalar', lines: this.#lines, offset: keyOffset, value: null, text: '' } as const)
          : this.build(pair.value as Node, depth + 1);
      if (key === null) continue;
      if (key === '<<') {
        if (mergeOffset !== null) this.#duplicate('<<', keyOffset, mergeOffset);
        mergeOffset = keyOffset;
        merges.push(...this.#mergeSources(value));
        continue;
      }
      const earlier = own.get(key);
      if (earlier !== undefined) this.#duplicate(key, keyOffset, earlier.keyOffset);
      else own.set(key, { key, keyOffset, value });
    }
    // Own keys beat merged ones, earlier merged maps beat later ones (yaml.org/type/merge).
    for (const merged of merges) {
      if (merged.kind !== 'map') continue;
      this.#mergesLeft -= merged.entries.size;
      if (this.#mergesLeft < 0) {
        throw new MayhemErrors([
          this.#error(mergeOffset ?? 0, 'merge keys expand to more entries than a document may have'),
        ]);
      }
      for (const [key, entry] of merged.entries) if (!own.has(key)) own.set(key, entry);
    }
    return own;
  }

  #key(node: Node | null, offset: number): string | null {
    if (node !== null && isAlias(node)) {
      const target = this.#alias(node.source, offset);
      if (target.kind === 'scalar' && target.value !== null) return this.#usable(target.text, offset);
    } else if (node !== null && isScalar(node) && node.value !== null) {
      const built = this.build(node, 0);
      return this.#usable(built.kind === 'scalar' ? built.text : '', offset);
    }
    this.errors.push(this.#error(offset, 'a key must be text'));
    return null;
  }

  #usable(key: string, offset: number): string | null {
    if (key !== '__proto__') return key;
    this.errors.push(this.#error(offset, '"__proto__" cannot be used as a key'));
    return null;
  }

  #mergeSources(value: YamlNode): readonly YamlNode[] {
    const sources = value.kind === 'list' ? value.items : [value];
    for (const source of sources) {
      if (source.kind !== 'map') {
        this.errors.push(
          this.#error(source.offset, `a merge key (<<) takes a map or a list of maps, not ${describe(source)}`),
        );
      }
    }
    return sources;
  }

  #alias(name: string, offset: number): YamlNode {
    const target = this.#anchors.get(name);
    if (target !== undefined && target !== null) return target;
    this.errors.push(
      this.#error(
        offset,
        target === null
          ? `the alias *${name} refers to a node that contains it`
          : `there is no anchor &${name} before this alias`,
      ),
    );
    return { kind: 'scalar', lines: this.#lines, offset, value: null, text: '' };
  }

  #duplicate(key: string, offset: number, firstOffset: number): void {
    const first = this.#lines.placeAt(firstOffset).line;
    this.errors.push(this.#error(offset, `the key "${key}" is given twice (first on line ${first})`));
  }

  #error(offset: number, message: string): MayhemError {
    return new MayhemError(this.#code, message, { place: this.#lines.placeAt(offset) });
  }
}
