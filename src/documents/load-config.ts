import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { findFault, isPlannedFault, nearestFault } from '../faults/catalog.js';
import type { Config, ConfigOrigin } from '../model/config.js';
import { MayhemError, MayhemErrors } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import { type FileValue, readConfigFile } from './config-file.js';
import { configKeys } from './config-keys.js';
import { parseSet, readValue } from './config-set.js';
import { namedPolicies } from './named-policies.js';
import { toConfig } from './to-config.js';

const DEFAULT_FILE = 'mayhem.yaml';
/** Variables of the environment that give a key its value. */
const FROM_ENVIRONMENT = {
  MAYHEM_DATABASE_URL: 'storage.database',
  MAYHEM_ARTIFACTS_DIR: 'storage.artifacts_dir',
  MAYHEM_LOG_LEVEL: 'log_level',
  TEMPORAL_ADDRESS: 'temporal.address',
  TEMPORAL_NAMESPACE: 'temporal.namespace',
} as const;

export interface LoadConfigOptions {
  readonly cwd: string;
  /** `--config`; null: mayhem.yaml of the working folder, when there is one. */
  readonly file: string | null;
  /** `--profile`: overlay mayhem.<profile>.yaml beside the file. */
  readonly profile: string | null;
  /** `--set key.path=value`, later ones win. */
  readonly set: readonly string[];
  /** `--policy`. */
  readonly policyName?: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: readonly ConfigOrigin[];
  readonly notices: readonly Notice[];
  /** The file given by --config when it is a drill: it serves as the SPEC. */
  readonly spec: string | null;
}

/**
 * The configuration in force: defaults < file < profile's file < environment < flags. Throws MayhemErrors (config.missing,
 * config.invalid with places, safety.refused for a policy bound to an environment).
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { env } = options;
  const notices: Notice[] = [];
  const values = new Map<string, FileValue>(
    configKeys.map((key) => [key.key, { value: key.default, origin: 'default' }]),
  );
  const assign = (given: Iterable<readonly [string, FileValue]>) => {
    for (const [key, value] of given) values.set(key, value);
  };

  const files = await readFiles(options);
  notices.push(...files.notices);
  for (const file of files.values) assign(file);
  const errors: MayhemError[] = [];
  const attempt = (read: () => void) => collect(errors, read);

  for (const [variable, key] of Object.entries(FROM_ENVIRONMENT)) {
    const value = env[variable];
    if (value === undefined || value === '') continue;
    const origin = `environment ${variable}`;
    attempt(() => values.set(key, { value: readValue({ key, value, origin }), origin }));
  }
  if ((env['MAYHEM_STORAGE_PATH'] ?? '') !== '') {
    notices.push({ level: 'warning', message: 'MAYHEM_STORAGE_PATH has no effect: evidence is in Postgres' });
  }
  const policy = chosenPolicy(options);
  if (policy !== null) {
    attempt(() => {
      const inFile = files.values.some((file) => [...file.keys()].some((key) => key.startsWith('policy.')));
      assign(Object.entries(policyValues({ ...policy, inFile })));
    });
  }
  for (const word of options.set) {
    attempt(() => {
      const { key, value } = parseSet(word);
      values.set(key, { value: readValue({ key, value, origin: '--set' }), origin: '--set' });
    });
  }
  errors.push(...unknownFaults(values));
  notices.push(...statusNotices({ values, errors }));
  if (errors.length > 0) throw new MayhemErrors(errors);
  const config = toConfig((key) => values.get(key)?.value);
  return { config, origins: originsOf(values), notices, spec: files.spec };
}

function collect(errors: MayhemError[], read: () => void): void {
  try {
    read();
  } catch (error) {
    if (error instanceof MayhemErrors) errors.push(...error.errors);
    else if (error instanceof MayhemError) errors.push(error);
    else throw error;
  }
}

interface ReadFiles {
  readonly values: readonly ReadonlyMap<string, FileValue>[];
  readonly notices: readonly Notice[];
  readonly spec: string | null;
}

async function readFiles(options: LoadConfigOptions): Promise<ReadFiles> {
  const { cwd, file, profile } = options;
  const values: ReadonlyMap<string, FileValue>[] = [];
  const notices: Notice[] = [];
  let spec: string | null = null;
  const base = file ?? DEFAULT_FILE;
  // A profile may stand alone; a file asked for by name may not be missing.
  if ((file !== null && profile === null) || (await exists(resolve(cwd, base)))) {
    const read = await readConfigFile({ cwd, display: base });
    if (read.kind === 'config') {
      values.push(read.values);
      notices.push(...read.notices);
    } else {
      if (file !== null && read.documentKind === 'drill') spec = file;
      const use = spec === null ? 'passed over' : 'taken as the drill to run';
      notices.push({ level: 'notice', message: `${base} is a ${read.documentKind}, not a configuration: ${use}` });
    }
  }
  if (profile === null) return { values, notices, spec };
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(profile)) {
    throw new MayhemErrors([new MayhemError('config.invalid', `"${profile}" is no name of a profile`)]);
  }
  const overlay = join(dirname(base), `mayhem.${profile}.yaml`);
  const read = await readConfigFile({ cwd, display: overlay });
  if (read.kind === 'other') {
    throw new MayhemErrors([
      new MayhemError('config.invalid', `${overlay} is a ${read.documentKind}, not a configuration`),
    ]);
  }
  return { values: [...values, read.values], notices: [...notices, ...read.notices], spec };
}

function chosenPolicy(options: LoadConfigOptions): { readonly name: string; readonly origin: string } | null {
  const flag = options.policyName ?? null;
  if (flag !== null) return { name: flag, origin: `--policy ${flag}` };
  const variable = options.env['MAYHEM_POLICY'];
  return variable === undefined || variable === '' ? null : { name: variable, origin: 'environment MAYHEM_POLICY' };
}

function policyValues(options: {
  readonly name: string;
  readonly origin: string;
  readonly inFile: boolean;
}): Readonly<Record<string, FileValue>> {
  const { name, origin } = options;
  const policy = Object.hasOwn(namedPolicies, name) ? namedPolicies[name] : undefined;
  if (policy === undefined) {
    const names = Object.keys(namedPolicies);
    const near = nearest({ word: name, candidates: names });
    const hint = near === null ? `known: ${names.join(', ')}` : `did you mean "${near}"?`;
    throw new MayhemError('config.invalid', `${origin}: there is no policy "${name}"`, { hint });
  }
  if (options.inFile) {
    throw new MayhemError('config.invalid', `${origin} together with a policy section of the configuration file`, {
      hint: 'remove one of the two',
    });
  }
  if (policy.environments !== null) {
    const where = policy.environments.join(' and ');
    throw new MayhemError('safety.refused', `the policy "${name}" is for ${where} only, and no environment is chosen`, {
      hint: 'choosing an environment is not supported yet: take another policy',
    });
  }
  return Object.fromEntries(Object.entries(policy.values).map(([key, value]) => [key, { value, origin }]));
}

/** A slip in a deny list would allow what it means to forbid: ids that no catalog knows are refused. */
function unknownFaults(values: ReadonlyMap<string, FileValue>): readonly MayhemError[] {
  return ['policy.allow_faults', 'policy.deny_faults', 'policy.critical_fault_acks'].flatMap((key) => {
    const given = values.get(key);
    const ids = (given?.value ?? []) as readonly string[];
    return ids
      .filter((id) => findFault(id) === null && !isPlannedFault(id))
      .map((id) => {
        const near = nearestFault(id);
        return new MayhemError('config.invalid', `${key} (${given?.origin}): there is no fault "${id}"`, {
          hint: near === null ? 'see `mayhem discover faults --all`' : `did you mean "${near}"?`,
        });
      });
  });
}

function statusNotices(options: {
  readonly values: ReadonlyMap<string, FileValue>;
  readonly errors: MayhemError[];
}): readonly Notice[] {
  const notices: Notice[] = [];
  for (const { key, status, default: fallback } of configKeys) {
    const given = options.values.get(key);
    if (status === 'used' || given === undefined || given.origin === 'default') continue;
    if (JSON.stringify(given.value) === JSON.stringify(fallback)) continue;
    const name = `${key} (${given.origin})`;
    if (status === 'inert') notices.push({ level: 'notice', message: `${name} is accepted and has no effect` });
    else if (status === 'unbuilt')
      notices.push({ level: 'warning', message: `${name} is not supported yet: it has no effect` });
    else {
      options.errors.push(
        new MayhemError('config.invalid', `${name} is not supported yet`, {
          hint: 'remove it: without it a run is less safe than the configuration says, so it is not ignored',
        }),
      );
    }
  }
  return notices;
}

function originsOf(values: ReadonlyMap<string, FileValue>): readonly ConfigOrigin[] {
  return [...values].map(([key, { value, origin }]) => ({
    key,
    value: key === 'storage.database' ? withoutPassword(value) : value,
    origin,
  }));
}

function withoutPassword(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^([a-z]+:\/\/[^:@/]*):[^/]*@/i, '$1:***@') : value;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
