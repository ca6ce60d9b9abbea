import type { Criterion, CriterionResult } from '../model/criterion.js';
import { assertNever } from '../model/error.js';
import type { Measure } from '../model/observation.js';

/** Judges one criterion by its measure. Absent, or present without a value: not observed, `passed` is null. Latency bounds are inclusive. */
export function judgeCriterion(options: {
  readonly criterion: Criterion;
  readonly measure: Measure | undefined;
}): CriterionResult {
  const { criterion } = options;
  const value = options.measure?.value ?? null;
  const base = { type: criterion.type, source: criterion.source_id };
  switch (criterion.type) {
    case 'status':
      return {
        ...base,
        expected: String(criterion.expected),
        ...judged(value, (v) => v === criterion.expected, String),
      };
    case 'latency':
      return {
        ...base,
        expected: `<= ${criterion.lt_ms.toFixed(1)}`,
        ...judged(value, (v) => typeof v === 'number' && v <= criterion.lt_ms, latencyText),
      };
    case 'boolean':
      return { ...base, expected: String(criterion.value), ...judged(value, (v) => v === criterion.value, String) };
    default:
      return assertNever(criterion);
  }
}

type Value = number | boolean | string;

function judged(
  value: Value | null,
  holds: (value: Value) => boolean,
  text: (value: Value) => string,
): Pick<CriterionResult, 'passed' | 'measured'> {
  return value === null ? { passed: null, measured: null } : { passed: holds(value), measured: text(value) };
}

function latencyText(value: Value): string {
  return typeof value === 'number' ? value.toFixed(1) : String(value);
}

/** A criterion's outcome in words: `PASS (expected 200, got 200)`, `PASS (31.2 <= 500.0)`, `FAIL (731.0 > 500.0)`. */
export function criterionText(result: CriterionResult): string {
  if (result.passed === null) return `MISSING (expected ${result.expected}, not observed)`;
  const word = result.passed ? 'PASS' : 'FAIL';
  const bound = /^<= (.+)$/.exec(result.expected)?.[1];
  if (bound === undefined || Number.isNaN(Number(result.measured))) {
    return `${word} (expected ${result.expected}, got ${result.measured})`;
  }
  return `${word} (${result.measured} ${result.passed ? '<=' : '>'} ${bound})`;
}
