import { parseDurationMs } from '../model/duration.js';
import { assertNever } from '../model/error.js';
import type { ParamSpec } from '../model/fault.js';
import { parseSizeBytes } from '../model/size.js';

type Read =
  | { readonly ok: true; readonly value: string | number | boolean }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads one parameter's value as authored into its normal form, so that two spellings of one value give one plan:
 * durations become seconds, byte sizes bytes, numeric strings numbers. Booleans are no numbers.
 */
export function readParam(spec: ParamSpec, given: unknown): Read {
  switch (spec.type) {
    case 'integer':
    case 'number':
    case 'percent': {
      const value = numberOf(given);
      if (value === null) return wrong(`expected ${spec.type === 'integer' ? 'a whole number' : 'a number'}`, given);
      if (spec.type === 'integer' && !Number.isSafeInteger(value)) return wrong('expected a whole number', given);
      const percent = spec.type === 'percent';
      return within({
        value,
        min: spec.min ?? (percent ? 0 : undefined),
        max: spec.max ?? (percent ? 100 : undefined),
      });
    }
    case 'duration': {
      const ms = typeof given === 'string' || typeof given === 'number' ? parseDurationMs(given) : null;
      if (ms === null) return wrong('expected a duration such as 500ms, 10s or 1m30s', given);
      return within({ value: ms / 1000, min: spec.min, max: spec.max });
    }
    case 'bytes': {
      const bytes = typeof given === 'string' || typeof given === 'number' ? parseSizeBytes(given) : null;
      if (bytes === null) return wrong('expected a size such as 64M, 64MiB or 64MB', given);
      return within({ value: bytes, min: spec.min, max: spec.max });
    }
    case 'boolean':
      return typeof given === 'boolean' ? { ok: true, value: given } : wrong('expected true or false', given);
    case 'string': {
      if (typeof given !== 'string') return wrong('expected text (quote it)', given);
      if (spec.values !== undefined && !spec.values.includes(given)) {
        return { ok: false, problem: `expected one of ${spec.values.join(', ')}, found "${given}"` };
      }
      return { ok: true, value: given };
    }
    default:
      return assertNever(spec.type);
  }
}

function numberOf(given: unknown): number | null {
  if (typeof given === 'number') return Number.isFinite(given) ? given : null;
  if (typeof given === 'string' && /^[+-]?\d+(\.\d+)?$/.test(given.trim())) return Number(given);
  return null;
}

function within(options: {
  readonly value: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
}): Read {
  const { value, min, max } = options;
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return { ok: true, value };
  const bounds = min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `from ${min} to ${max}`;
  return { ok: false, problem: `expected a value ${bounds}, found ${value}` };
}

function wrong(expected: string, given: unknown): Read {
  const found =
    typeof given === 'string' ? `"${given.slice(0, 60)}"` : given === null ? 'nothing' : JSON.stringify(given);
  return { ok: false, problem: `${expected}, found ${found}` };
}
