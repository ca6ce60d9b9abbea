import { z } from 'zod';
import { RISKS } from '../model/fault.js';
import { checkSchema, expectSchema, probeSchema } from './probe-schema.js';
import { bool, durationMs, inert, number, oneOf, text, unsupported } from './values.js';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;
const ON_FAILURE = ['abort_and_recover', 'continue'] as const;

/** Parameters: what the catalog says about each is checked apart (see checkFault). Flat ones may be null, which is ignored. */
const paramValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))], {
  error: 'expected text, a number, true, false or a list of these',
});

const faultSchema = z
  .object({
    fault: text,
    duration: durationMs().optional(),
    params: z.record(z.string(), paramValue).optional(),
    recovery: bool.nullish(),
    on_failure: oneOf(ON_FAILURE).nullish(),
    targets: unsupported,
    network_path: inert,
  })
  .catchall(paramValue.nullable());

const containerSchema = z.strictObject({
  faults: z.array(faultSchema).nullish(),
  selection: unsupported,
});

const blockSchema = z.strictObject({
  parallel: z.array(text).min(1).optional(),
  sequential: z.array(text).min(1).optional(),
  wait: z.strictObject({ duration: durationMs(), until_check_passes: unsupported, timeout: unsupported }).optional(),
  check: z.array(checkSchema).min(1).optional(),
  check_spec: unsupported,
});

const criterionBase = { source_id: text, abort: unsupported };
const unbuiltCriterion = z.looseObject({ type: z.enum(['metric', 'count']) }).transform((given, ctx): never => {
  const params = { unsupported: true, hint: 'use status, latency or boolean' };
  ctx.addIssue({
    code: 'custom',
    path: ['type'],
    message: `the criterion "${given.type}" is not supported yet`,
    params,
  });
  return z.NEVER;
});
const criterionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('status'),
    ...criterionBase,
    expected: number({ whole: true, min: 100, max: 599 }),
  }),
  z.strictObject({ type: z.literal('latency'), ...criterionBase, lt_ms: number({ above: 0 }) }),
  z.strictObject({ type: z.literal('boolean'), ...criterionBase, value: bool.optional() }),
  unbuiltCriterion,
]);

/** A drill document, as a plain value with the short forms of blocks and checks written out. */
export const drillSchema = z.strictObject({
  apiVersion: z.unknown().optional(),
  kind: z.unknown(),
  name: text,
  hypothesis: text.nullish(),
  config: z
    .strictObject({
      risk_ceiling: oneOf(RISKS).optional(),
      max_faults: number({ whole: true, min: 0 }).optional(),
      timeout: durationMs({ zero: true }).optional(),
      recovery: bool.optional(),
      on_failure: oneOf(ON_FAILURE).optional(),
      log_level: oneOf(LOG_LEVELS).optional(),
      maniac: unsupported,
      policy: inert,
    })
    .optional(),
  containers: z.record(z.string(), containerSchema).optional(),
  targets: unsupported,
  execution: z.array(blockSchema).min(1).optional(),
  steady_state: z
    .array(
      z.strictObject({
        id: text,
        probe: probeSchema,
        cadence: durationMs().optional(),
        window: durationMs().optional(),
        expect: expectSchema.optional(),
        min_ok_pct: number({ above: 0, max: 100 }).optional(),
      }),
    )
    .optional(),
  control: unsupported,
  success: z.strictObject({ require_all: bool.optional(), criteria: z.array(criterionSchema).optional() }).nullish(),
  slo: unsupported,
  observability: unsupported,
  description: inert,
  labels: inert,
  tags: inert,
  metadata: inert,
});
export type AuthoredDrill = z.output<typeof drillSchema>;
export type AuthoredFault = z.output<typeof faultSchema>;

/** Keys of a fault's entry that are no parameters. */
export const FAULT_KEYS: readonly string[] = Object.keys(faultSchema.shape);
