import { MayhemError } from '../model/error.js';
import { nearest } from '../model/nearest.js';
import { parseYaml } from '../source/parse-yaml.js';
import { ExpansionBudget, plainOf } from '../source/plain.js';
import { configKeys } from './config-keys.js';

/** Reads `key.path=value`, the value as YAML (`25`, `true`, `[a, b]`, `null`). Throws config.invalid naming the option. */
export function parseSet(word: string): { readonly key: string; readonly value: unknown } {
  const equals = word.indexOf('=');
  if (equals <= 0) throw new MayhemError('config.invalid', `--set ${word}: expected key.path=value`);
  const key = word.slice(0, equals).trim();
  if (!configKeys.some((known) => known.key === key)) {
    const near = nearest({ word: key, candidates: configKeys.map((known) => known.key) });
    throw new MayhemError('config.invalid', `--set ${word}: there is no key "${key}"`, {
      hint: near === null ? 'see `mayhem prepare config show` for all keys' : `did you mean "${near}"?`,
    });
  }
  const code = 'config.invalid';
  const { root } = parseYaml({ source: { file: '--set', text: word.slice(equals + 1) }, code });
  return { key, value: root === null ? null : plainOf(root, new ExpansionBudget({ code })) };
}

/** What a value from outside a file (`--set`, the environment) means for a key. Throws config.invalid naming where it came from. */
export function readValue(options: {
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}): unknown {
  const { key, origin } = options;
  const schema = configKeys.find((known) => known.key === key)?.schema;
  if (schema === undefined) throw new MayhemError('internal.failed', `there is no configuration key "${key}"`);
  const result = schema.safeParse(options.value);
  if (result.success) return result.data;
  const message = result.error.issues[0]?.message ?? 'not valid';
  throw new MayhemError('config.invalid', `${origin}: ${key}: ${message}`);
}
