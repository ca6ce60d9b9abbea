import { z } from 'zod';
import { parseDurationMs } from '../model/duration.js';

/** What our own issues carry beside the message: see checkSchema. */
export interface IssueParams {
  readonly hint?: string;
  readonly unsupported?: true;
}

type Read<T> = { readonly value: T } | { readonly wrong: string; readonly hint?: string };

/** A schema from a reader of one value, which says what the value means or why it means nothing. */
function valueSchema<T>(read: (given: unknown) => Read<T>): z.ZodType<T, unknown> {
  return z.unknown().transform((given, ctx): T => {
    const result = read(given);
    if ('value' in result) return result.value;
    const params: IssueParams = result.hint === undefined ? {} : { hint: result.hint };
    ctx.addIssue({ code: 'custom', message: result.wrong, params: { ...params } });
    return z.NEVER;
  }) as unknown as z.ZodType<T, unknown>;
}

/** A plain value as messages show it. */
export function found(given: unknown): string {
  if (given === undefined || given === null) return 'nothing';
  if (typeof given === 'string') return given === '' ? 'empty text' : `"${given.slice(0, 60)}"`;
  if (Array.isArray(given)) return 'a list';
  return typeof given === 'number' || typeof given === 'boolean' ? `${given}` : 'a map';
}

/** Non-empty text. Numbers and booleans are refused: YAML read `true` or `1.10` as something else than the word written. */
export const text = valueSchema<string>((given) => {
  if (typeof given === 'string' && given.trim() !== '') return { value: given };
  const wrong = `expected text, found ${found(given)}`;
  return ['number', 'boolean'].includes(typeof given) ? { wrong, hint: 'quote it to make it text' } : { wrong };
});

export const bool = valueSchema<boolean>((given) =>
  typeof given === 'boolean' ? { value: given } : { wrong: `expected true or false, found ${found(given)}` },
);

interface Bounds {
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly min?: number;
  readonly max?: number;
  readonly whole?: boolean;
}

/** A number within bounds. Numeric text passes, booleans do not. */
export function number(bounds: Bounds): z.ZodType<number, unknown> {
  return valueSchema<number>((given) => {
    const expected = `expected ${bounds.whole === true ? 'a whole number' : 'a number'}`;
    const read = numberOf(given);
    if (!Number.isFinite(read) || (bounds.whole === true && !Number.isSafeInteger(read))) {
      const wrong = `${expected}, found ${found(given)}`;
      return /%\s*$/.test(String(given)) ? { wrong, hint: 'write percentages without %' } : { wrong };
    }
    const { above, min, max } = bounds;
    const tooLow = (above !== undefined && read <= above) || (min !== undefined && read < min);
    if (tooLow || (max !== undefined && read > max))
      return { wrong: `${expected} ${boundsText(bounds)}, found ${read}` };
    return { value: read };
  });
}

/** A duration in milliseconds, above zero unless `zero` is set. Parts of a millisecond are refused, not rounded. */
export function durationMs(options: { readonly zero?: boolean } = {}): z.ZodType<number, unknown> {
  return valueSchema<number>((given) => {
    const ms = typeof given === 'string' || typeof given === 'number' ? parseDurationMs(given) : null;
    if (ms === null) {
      return {
        wrong: `expected a duration, found ${found(given)}`,
        hint: 'write 500ms, 10s, 1m30s, 2h or a number of seconds',
      };
    }
    const whole = Math.round(ms);
    if (Math.abs(ms - whole) > 1e-6 || !Number.isSafeInteger(whole)) {
      return { wrong: `expected a duration of whole milliseconds, found ${found(given)}` };
    }
    if (whole === 0 && options.zero !== true) return { wrong: `expected a duration above zero, found ${found(given)}` };
    return { value: whole };
  });
}

/** One word of a closed list. */
export function oneOf<const T extends readonly string[]>(words: T): z.ZodType<T[number], unknown> {
  return valueSchema<T[number]>((given) => {
    if (typeof given === 'string' && words.includes(given)) return { value: given };
    const wrong = `expected one of ${words.join(', ')}, found ${found(given)}`;
    const other = words.find((word) => word.toLowerCase() === String(given).toLowerCase());
    return other === undefined ? { wrong } : { wrong, hint: `write "${other}"` };
  });
}

/** A documented key that this version does not build: refused wherever it is given. */
export const unsupported = z
  .unknown()
  .transform((_given, ctx): undefined => {
    const params: IssueParams = { unsupported: true, hint: 'remove it for now' };
    ctx.addIssue({ code: 'custom', message: 'is not supported yet', params: { ...params } });
    return z.NEVER;
  })
  .optional();

/** A key that is accepted without effect; a notice says so. */
export const inert = z.unknown().optional();

function numberOf(given: unknown): number {
  if (typeof given === 'number') return given;
  return typeof given === 'string' && /^[+-]?\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : Number.NaN;
}

function boundsText({ above, min, max }: Bounds): string {
  const low = above !== undefined ? `above ${above}` : min !== undefined ? `of at least ${min}` : '';
  if (max === undefined) return low;
  return low === '' ? `of at most ${max}` : `${low} and at most ${max}`;
}
