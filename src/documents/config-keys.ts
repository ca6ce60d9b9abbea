import { z } from 'zod';
import { RISKS } from '../model/fault.js';
import { LOG_LEVELS } from './drill-schema.js';
import { bool, durationMs, number, oneOf, text } from './values.js';

/** One key of `mayhem.yaml`. Times are given as seconds or as durations and kept in milliseconds. */
export interface ConfigKey {
  /** Dotted. */
  readonly key: string;
  readonly schema: z.ZodType;
  readonly default: unknown;
  /**
   * `used`: it has its effect. `inert`: accepted without effect by design. `unbuilt`: its effect is not built, a warning says so. `guard`:
   * not built, and leaving it out would make a run less safe than the file says: refused unless it is the default.
   */
  readonly status: 'used' | 'inert' | 'unbuilt' | 'guard';
}

const percent = number({ above: 0, max: 100 });
const count = number({ whole: true, min: 1 });
const seconds = durationMs();
const texts = z.array(text);
const anyMap = z.record(z.string(), z.unknown());
/** `embedded`, or where a Postgres of the user's own is. Messages never show the value: it holds a password. */
const database = text.refine((given) => given === 'embedded' || /^postgres(ql)?:\/\/./.test(given), {
  error: 'expected embedded or a URL that begins with postgres://',
});

function key(name: string, schema: z.ZodType, fallback: unknown, status: ConfigKey['status'] = 'used'): ConfigKey {
  return { key: name, schema, default: fallback, status };
}

/** Every key of the configuration, in the order `config show` prints them. */
export const configKeys: readonly ConfigKey[] = [
  key('policy.allow_faults', texts.nullable(), null),
  key('policy.deny_faults', texts, []),
  key('policy.risk_ceiling', oneOf(RISKS).nullable(), null),
  key('policy.allow_critical', bool, false),
  key('policy.critical_fault_acks', texts, []),
  key('blast_radius.max_services_pct', percent, 50),
  key('blast_radius.max_hosts', count, 2),
  key('blast_radius.max_concurrent_faults', count, 3),
  key('blast_radius.max_duration_per_fault_s', number({ above: 0 }), 300),
  key('blast_radius.forbidden_fault_pairs', z.array(z.array(text).length(2)), [], 'guard'),
  key('blast_radius.count_dependents', bool, false, 'guard'),
  key('storage.path', text, 'mayhem.db', 'inert'),
  key('storage.artifacts_dir', text, '.mayhem/artifacts', 'unbuilt'),
  key('storage.database', database, 'embedded'),
  key('toolkit.binaries', anyMap, {}, 'unbuilt'),
  key('toolkit.image', text.nullable(), null, 'unbuilt'),
  key('runtime', oneOf(['docker', 'podman', 'kubernetes', 'host']), 'docker', 'unbuilt'),
  key('target.containers', texts, [], 'unbuilt'),
  key('kubernetes.context', text.nullable(), null, 'unbuilt'),
  key('kubernetes.namespace', text.nullable(), null, 'unbuilt'),
  key('agent.grace', seconds, 2000),
  key('recovery_grace', seconds, 300_000),
  key('log_level', oneOf(LOG_LEVELS), 'INFO'),
  key('maniac.level', number({ whole: true, min: 1, max: 5 }), 2, 'unbuilt'),
  key('maniac.run_level', number({ whole: true, min: 1, max: 500 }), 10, 'unbuilt'),
  key('maniac.seed', number({ whole: true }).nullable(), null, 'unbuilt'),
  key('temporal.address', text.nullable(), null),
  key('temporal.namespace', text, 'default'),
  key('temporal.profile', text.nullable(), null, 'unbuilt'),
  key('temporal.task_queue', text, 'mayhem'),
  key('protect.labels', texts, ['mayhem.protect=true']),
  key('protect.names', texts, []),
  key('protect.projects', texts, []),
  key('windows', z.unknown(), null, 'guard'),
  key('environments', anyMap, {}, 'unbuilt'),
];

/** The schema of a whole `mayhem.yaml`: every key optional, unknown ones refused. */
export const configSchema = z.strictObject({
  apiVersion: z.unknown().optional(),
  kind: z.unknown().optional(),
  ...shapeOf(configKeys),
});

function shapeOf(keys: readonly ConfigKey[]): Record<string, z.ZodType> {
  const shape: Record<string, z.ZodType> = {};
  const sections = new Map<string, Record<string, z.ZodType>>();
  for (const { key: dotted, schema } of keys) {
    const [section, name] = dotted.split('.') as [string, string | undefined];
    if (name === undefined) shape[section] = schema.optional();
    else sections.set(section, { ...sections.get(section), [name]: schema.optional() });
  }
  for (const [section, members] of sections) shape[section] = z.strictObject(members).optional();
  return shape;
}
