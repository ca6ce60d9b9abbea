import { dirname, join, resolve } from 'node:path';
import type { LoadedBlueprint } from '../model/blueprint.js';
import { MayhemError, MayhemErrors } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import { parseYaml } from '../source/parse-yaml.js';
import { EXPANSION_ALLOWANCE, ExpansionBudget } from '../source/plain.js';
import { readSource, type Source } from '../source/read-source.js';
import { childOf, describe, keyPlaceOf, placeOf, type YamlMap } from '../source/yaml-node.js';
import { checkReferences } from './check-references.js';
import { checkResources } from './check-resources.js';
import { ComposeReader } from './compose-reader.js';
import { parseDotEnv } from './dot-env.js';
import { findCompose } from './find-compose.js';
import type { Lookup } from './interpolate.js';
import { normaliseProjectName, projectNameOf } from './project-name.js';
import { type ReadService, readService } from './read-service.js';

const CODES = { missing: 'blueprint.missing', invalid: 'blueprint.invalid' } as const;
/** Top-level keys of the Compose Specification; those with `x-` come beside them. */
const TOP_KEYS = ['version', 'name', 'include', 'services', 'networks', 'volumes', 'secrets', 'configs', 'models'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the stack's compose file: the one given, else the one found in `dir`. Variables come from `env`, then from the `.env` file
 * beside the compose file. Throws MayhemErrors with every problem at its place; blueprint.missing when there is no file;
 * blueprint.unsupported for parts of the specification that are not built and would change the stack.
 */
export async function loadBlueprint(options: {
  readonly files: readonly string[];
  readonly dir: string;
  readonly env: Environment;
}): Promise<LoadedBlueprint & { readonly notices: readonly Notice[] }> {
  const { files, dir, env } = options;
  if (files.length > 1) {
    throw new MayhemErrors([
      new MayhemError('blueprint.unsupported', `several compose files (${files.join(', ')}) are not supported yet`, {
        place: { file: files[1] as string, line: 1, column: 1 },
        hint: 'give one merged file, for example from `docker compose config`',
      }),
    ]);
  }
  const given = files[0];
  const found = given === undefined ? await findCompose(dir) : { file: given, notices: [] };
  // What was given is relative to the folder; what was found names it already.
  const path = given === undefined ? resolve(found.file) : resolve(dir, given);
  const source = { ...(await readGiven({ path, file: found.file })), file: found.file };
  const folder = dirname(path);
  const variables = await readVariables({ folder, env });
  const read = readCompose({ source, lookup: variables });
  const project = projectNameOf({ fromEnvironment: variables('COMPOSE_PROJECT_NAME'), fromFile: read.name, folder });
  if (project === '' || normaliseProjectName(project) !== project) {
    throw new MayhemErrors([
      new MayhemError('blueprint.invalid', `"${project}" is no project name`, {
        place: { file: source.file, line: 1, column: 1 },
        hint: 'give the file a name: of lower-case letters, digits, - and _, or set COMPOSE_PROJECT_NAME',
      }),
    ]);
  }
  const services = read.services.map(({ service }) => service).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    blueprint: { kind: 'compose', services },
    project,
    files: [path],
    notices: [...found.notices, ...composeFileNotice(variables), ...read.notices],
  };
}

async function readGiven(options: { readonly path: string; readonly file: string }): Promise<Source> {
  try {
    return await readSource({ file: options.path, codes: CODES });
  } catch (error) {
    throw error instanceof MayhemError ? new MayhemErrors([error]) : error;
  }
}

/** The shell's variables first, then those of the `.env` file in the folder. */
async function readVariables(options: { readonly folder: string; readonly env: Environment }): Promise<Lookup> {
  const shell: Lookup = (name) => (Object.hasOwn(options.env, name) ? options.env[name] : undefined);
  try {
    const source = await readSource({ file: join(options.folder, '.env'), codes: CODES });
    const fromFile = parseDotEnv({ source, shell });
    return (name) => shell(name) ?? fromFile.get(name);
  } catch (error) {
    if (error instanceof MayhemError && error.code === 'blueprint.missing') return shell;
    throw error instanceof MayhemError ? new MayhemErrors([error]) : error;
  }
}

interface ReadCompose {
  readonly name: string | null;
  readonly services: readonly ReadService[];
  readonly notices: readonly Notice[];
}

/** Reads a compose file's text. Throws MayhemErrors with all that is wrong with it. */
export function readCompose(options: { readonly source: Source; readonly lookup: Lookup }): ReadCompose {
  const { source, lookup } = options;
  const code = 'blueprint.invalid';
  const { root, tags, errors } = parseYaml({ source, code });
  if (root === null || root.kind !== 'map') {
    const message = root === null ? 'the compose file is empty' : `a compose file is a map, not ${describe(root)}`;
    const place = root === null ? { file: source.file, line: 1, column: 1 } : placeOf(root);
    throw new MayhemErrors([new MayhemError(code, message, { place })]);
  }
  const budget = new ExpansionBudget({ code, allowance: EXPANSION_ALLOWANCE + 2 * source.text.length });
  const reader = new ComposeReader({ lookup, budget });
  for (const { tag, node } of tags) {
    if (tag === '!reset' || tag === '!override') reader.unsupported(node, `the tag ${tag}`);
    else reader.fail(node, `the tag ${tag} is not known here`);
  }
  checkTopKeys({ root, reader });
  const include = childOf(root, 'include');
  if (include !== null) reader.unsupported(include, 'include');
  const name = reader.text(childOf(root, 'name'), 'name');
  const services = readServices({ root, reader });
  checkReferences({ reader, services });
  checkResources({ reader, root, services });
  const seen = new Set<string>();
  const all = [...errors, ...reader.errors]
    .filter(({ place, message }) => {
      // One value may be read twice, for itself and for a check.
      const key = `${place?.line}:${place?.column} ${message}`;
      return seen.size < seen.add(key).size;
    })
    .sort((a, b) => (a.place?.line ?? 0) - (b.place?.line ?? 0) || (a.place?.column ?? 0) - (b.place?.column ?? 0));
  if (all.length > 0) throw new MayhemErrors(all);
  return { name, services, notices: reader.notices };
}

function checkTopKeys(options: { readonly root: YamlMap; readonly reader: ComposeReader }): void {
  const { root, reader } = options;
  for (const [key, entry] of root.entries) {
    if (TOP_KEYS.includes(key) || key.startsWith('x-')) continue;
    const near = nearest({ word: key, candidates: TOP_KEYS });
    reader.errors.push(
      new MayhemError('blueprint.invalid', `unknown key "${key}" at the top of the compose file`, {
        place: keyPlaceOf(root, entry),
        hint: near === null ? `known here: ${TOP_KEYS.join(', ')}, x-…` : `did you mean "${near}"?`,
      }),
    );
  }
}

function readServices(options: { readonly root: YamlMap; readonly reader: ComposeReader }): readonly ReadService[] {
  const { root, reader } = options;
  const services = reader.map(childOf(root, 'services'), 'services');
  if (services === null || services.entries.size === 0) {
    // With include the services may all be elsewhere; that it is not followed is told already.
    if (!root.entries.has('include'))
      reader.fail(childOf(root, 'services') ?? root, 'the compose file has no services');
    return [];
  }
  return [...services.entries].flatMap(([name, entry]): ReadService[] => {
    if (!/^[a-zA-Z0-9._-]+$/.test(name)) {
      reader.errors.push(
        new MayhemError('blueprint.invalid', `"${name}" is no service name`, {
          place: keyPlaceOf(services, entry),
          hint: 'use letters, digits, ., _ and -',
        }),
      );
      return [];
    }
    const node = reader.map(entry.value, `services.${name}`);
    if (node === null && entry.value.kind === 'scalar' && entry.value.value === null) {
      reader.fail(entry.value, `services.${name}: expected a map, found nothing`);
    }
    return node === null ? [] : [readService({ reader, name, node })];
  });
}

function composeFileNotice(lookup: Lookup): readonly Notice[] {
  if (lookup('COMPOSE_FILE') === undefined) return [];
  return [{ level: 'warning', message: 'COMPOSE_FILE is set and not followed: give the file with --compose' }];
}
