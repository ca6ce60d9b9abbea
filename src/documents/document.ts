import { type ErrorCode, MayhemError, MayhemErrors } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import { parseYaml } from '../source/parse-yaml.js';
import { ExpansionBudget, plainOf } from '../source/plain.js';
import type { Source } from '../source/read-source.js';
import { describe, placeAtPath, type YamlMap } from '../source/yaml-node.js';
import { found } from './values.js';

export const API_VERSION = 'mayhem/v1';
export const DOCUMENT_KINDS = ['drill', 'config', 'campaign', 'stack', 'policy'] as const;

export interface ParsedDocument {
  readonly root: YamlMap;
  readonly plain: Readonly<Record<string, unknown>>;
  /** Duplicate keys, unknown tags and the like: to be reported together with what the schema finds. */
  readonly errors: readonly MayhemError[];
}

/**
 * Parses a document of ours: one YAML map, within bounds. Throws MayhemErrors with `code` when it is empty, no map, no YAML or
 * expands to too much.
 */
export function parseDocument(options: { readonly source: Source; readonly code: ErrorCode }): ParsedDocument {
  const { source, code } = options;
  const { root, tags, errors } = parseYaml({ source, code });
  if (root === null || root.kind !== 'map') {
    const message = root === null ? 'the document is empty' : `the document must be a map, not ${describe(root)}`;
    throw new MayhemErrors([
      new MayhemError(code, message, { place: root === null ? startOf(source.file) : placeAtPath(root, []) }),
    ]);
  }
  const tagErrors = tags.map(
    ({ tag, node }) => new MayhemError(code, `the tag ${tag} is not known here`, { place: placeAtPath(node, []) }),
  );
  const plain = plainOf(root, new ExpansionBudget({ code })) as Record<string, unknown>;
  return { root, plain, errors: [...errors, ...tagErrors] };
}

/** A notice for an `apiVersion` that is absent or another than ours. */
export function apiVersionNotice(document: ParsedDocument): Notice | null {
  const given = document.plain['apiVersion'];
  if (given === API_VERSION) return null;
  const message =
    given === undefined
      ? `apiVersion is missing; read as ${API_VERSION}`
      : `apiVersion is ${JSON.stringify(given)}, not ${API_VERSION}; read as ${API_VERSION}`;
  return { level: 'warning', message, place: placeAtPath(document.root, ['apiVersion']) };
}

/** An error when `kind` is not the wanted one, saying which document this seems to be. */
export function kindError(options: {
  readonly document: ParsedDocument;
  readonly wanted: (typeof DOCUMENT_KINDS)[number];
  readonly code: ErrorCode;
}): MayhemError | null {
  const { document, wanted, code } = options;
  const kind = document.plain['kind'];
  if (kind === wanted) return null;
  const place = placeAtPath(document.root, ['kind']);
  if (kind === undefined) {
    const compose = 'services' in document.plain ? '; this looks like a compose file, give it with --compose' : '';
    return new MayhemError(code, `kind is missing${compose}`, { place, hint: `add "kind: ${wanted}"` });
  }
  const other = DOCUMENT_KINDS.find((known) => known === kind);
  if (other !== undefined) {
    return new MayhemError(code, `this document is a ${other}, a ${wanted} is wanted`, {
      place,
      hint: `give the file of a ${wanted}`,
    });
  }
  const near = typeof kind === 'string' ? nearest({ word: kind, candidates: DOCUMENT_KINDS }) : null;
  return new MayhemError(code, `there is no kind ${found(kind)}`, {
    place,
    hint:
      near === null || near === wanted ? `write "kind: ${wanted}"` : `did you mean "${near}"? A ${wanted} is wanted`,
  });
}

/** Errors in the order of the file, without repeats at one place. */
export function sortErrors(errors: readonly MayhemError[]): readonly MayhemError[] {
  const seen = new Set<string>();
  return errors
    .filter((error) => {
      const key = `${error.place?.file}:${error.place?.line}:${error.place?.column}:${error.message}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    })
    .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0));
}

function startOf(file: string): { file: string; line: number; column: number } {
  return { file, line: 1, column: 1 };
}
