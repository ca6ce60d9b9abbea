import type { Blueprint } from '../model/blueprint.js';
import type { Config } from '../model/config.js';
import type { Drill } from '../model/drill.js';
import { MayhemError, MayhemErrors } from '../model/error.js';
import type { Notice } from '../model/notice.js';
import { MAX_DOCUMENT_BYTES, readSource, type Source, sourceOf } from '../source/read-source.js';
import { placeAtPath } from '../source/yaml-node.js';
import { checkSchema } from './check-schema.js';
import { apiVersionNotice, kindError, parseDocument, type ParsedDocument, sortErrors } from './document.js';
import { checkDrillRules } from './drill-rules.js';
import { drillSchema } from './drill-schema.js';
import { expandShortForms } from './probe-schema.js';
import { toDrill } from './to-drill.js';

const CODES = {
  missing: 'document.missing',
  invalid: 'document.invalid',
  unsupported: 'document.unsupported',
} as const;
/** Keys that documents carry without effect. */
const INERT: readonly (readonly string[])[] = [
  ['config', 'policy'],
  ['description'],
  ['labels'],
  ['tags'],
  ['metadata'],
];

export interface LoadedDrill {
  readonly drill: Drill;
  readonly notices: readonly Notice[];
  /** `config.log_level`, which is about the command, not the drill. */
  readonly logLevel: Config['log_level'] | null;
}

/**
 * Reads a drill. `text` stands for the file's contents when they are at hand. Throws MayhemErrors with every problem the document
 * has, each with its place; with `blueprint`, names that the stack does not have are among them. Unknown keys are warnings
 * under `lenient`.
 */
export async function loadDrill(options: {
  readonly file: string;
  readonly text?: string;
  readonly lenient?: boolean;
  readonly blueprint?: Blueprint;
}): Promise<LoadedDrill> {
  const { file } = options;
  const source = await readDocument({ file, text: options.text ?? null });
  const document = parseDocument({ source, code: CODES.invalid });
  const wrongKind = kindError({ document, wanted: 'drill', code: CODES.invalid });
  // Another kind of document would fail on every key: only its kind is worth telling.
  if (wrongKind !== null && document.plain['kind'] !== undefined) throw new MayhemErrors([wrongKind]);

  const { root } = document;
  const plain = withShortForms(document.plain);
  const schema = checkSchema({ schema: drillSchema, root, plain, lenient: options.lenient ?? false, codes: CODES });
  const rules = checkDrillRules({ root, plain, blueprint: options.blueprint ?? null });
  const errors = sortErrors([
    ...document.errors,
    ...(wrongKind === null ? [] : [wrongKind]),
    ...schema.errors,
    ...rules.errors,
  ]);
  if (errors.length > 0 || schema.value === null) throw new MayhemErrors(errors);

  return {
    drill: toDrill({ authored: schema.value, root, file }),
    notices: [...drillNotices(document), ...schema.notices, ...rules.notices].sort(
      (a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0),
    ),
    logLevel: schema.value.config?.log_level ?? null,
  };
}

async function readDocument(options: { readonly file: string; readonly text: string | null }): Promise<Source> {
  const { file, text } = options;
  const limit = { maxBytes: MAX_DOCUMENT_BYTES };
  try {
    if (text === null) return await readSource({ file, codes: CODES, ...limit });
    return sourceOf({ file, bytes: new TextEncoder().encode(text), code: CODES.invalid, ...limit });
  } catch (error) {
    throw error instanceof MayhemError ? new MayhemErrors([error]) : error;
  }
}

function drillNotices(document: ParsedDocument): readonly Notice[] {
  const { root, plain } = document;
  const notices: Notice[] = [];
  const version = apiVersionNotice(document);
  if (version !== null) notices.push(version);
  if (plain['hypothesis'] === undefined || plain['hypothesis'] === null) {
    notices.push({
      level: 'warning',
      message: 'the drill has no hypothesis: say what you expect to hold',
      place: placeAtPath(root, ['name']),
    });
  }
  for (const path of INERT) {
    const holder = path.length === 1 ? plain : plain[path[0] as string];
    if (holder === null || typeof holder !== 'object' || !Object.hasOwn(holder, path.at(-1) as string)) continue;
    notices.push({
      level: 'notice',
      message: `${path.join('.')} is accepted and has no effect`,
      place: placeAtPath(root, path),
    });
  }
  return notices;
}

/** `wait: 5s` and the short forms of checks written out as maps, so that one schema reads both. */
function withShortForms(plain: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { execution } = plain;
  if (!Array.isArray(execution)) return plain;
  return {
    ...plain,
    execution: execution.map((block: unknown) => {
      if (block === null || typeof block !== 'object' || Array.isArray(block)) return block;
      const { wait, check } = block as { wait?: unknown; check?: unknown };
      return {
        ...block,
        ...(typeof wait === 'string' || typeof wait === 'number' ? { wait: { duration: wait } } : {}),
        ...(Array.isArray(check) ? { check: check.map(expandShortForms) } : {}),
      };
    }),
  };
}
