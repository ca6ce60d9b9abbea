import { resolve } from 'node:path';
import { MayhemError, MayhemErrors } from '../model/error.js';
import type { Notice } from '../model/notice.js';
import { MAX_DOCUMENT_BYTES, readSource } from '../source/read-source.js';
import { placeAtPath } from '../source/yaml-node.js';
import { checkSchema } from './check-schema.js';
import { configKeys, configSchema } from './config-keys.js';
import { API_VERSION, DOCUMENT_KINDS, kindError, parseDocument, sortErrors } from './document.js';

const CODES = { missing: 'config.missing', invalid: 'config.invalid', unsupported: 'config.invalid' } as const;

/** A value of a configuration file, with the line that gave it. */
export interface FileValue {
  readonly value: unknown;
  readonly origin: string;
}

export type ConfigFile =
  | { readonly kind: 'config'; readonly values: ReadonlyMap<string, FileValue>; readonly notices: readonly Notice[] }
  /** A document of another kind stands under the configuration's name. */
  | { readonly kind: 'other'; readonly documentKind: string };

/**
 * Reads one configuration file into values by dotted key. Throws MayhemErrors: config.missing, or config.invalid with every problem at
 * its place. `display` is the name it has in messages.
 */
export async function readConfigFile(options: { readonly cwd: string; readonly display: string }): Promise<ConfigFile> {
  const { display } = options;
  const source = { ...(await read(resolve(options.cwd, display))), file: display };
  const document = parseDocument({ source, code: CODES.invalid });
  const { root, plain } = document;
  const kind = plain['kind'];
  if (kind !== 'config' && DOCUMENT_KINDS.some((known) => known === kind))
    return { kind: 'other', documentKind: String(kind) };

  const errors: MayhemError[] = [...document.errors];
  const wrongKind = kind === undefined ? null : kindError({ document, wanted: 'config', code: CODES.invalid });
  if (wrongKind !== null) errors.push(wrongKind);
  if (plain['apiVersion'] !== API_VERSION) {
    const message = plain['apiVersion'] === undefined ? 'apiVersion is required' : `apiVersion must be ${API_VERSION}`;
    const place = placeAtPath(root, ['apiVersion']);
    errors.push(new MayhemError(CODES.invalid, message, { place, hint: `write "apiVersion: ${API_VERSION}"` }));
  }
  const checked = checkSchema({ schema: configSchema, root, plain, lenient: false, codes: CODES });
  const all = sortErrors([...errors, ...checked.errors]);
  if (all.length > 0 || checked.value === null) throw new MayhemErrors(all);

  const values = new Map<string, FileValue>();
  for (const { key } of configKeys) {
    const path = key.split('.');
    const value = path.reduce<unknown>(
      (at, part) => (at as Record<string, unknown> | undefined)?.[part],
      checked.value,
    );
    if (value !== undefined) values.set(key, { value, origin: `${display}:${placeAtPath(root, path).line}` });
  }
  return { kind: 'config', values, notices: checked.notices };
}

async function read(file: string) {
  try {
    return await readSource({ file, codes: CODES, maxBytes: MAX_DOCUMENT_BYTES });
  } catch (error) {
    throw error instanceof MayhemError ? new MayhemErrors([error]) : error;
  }
}
