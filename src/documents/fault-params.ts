import { FAULT_KEYS } from './drill-schema.js';

/** One parameter as authored: its value, and the path from the fault's entry to where it stands. */
export interface AuthoredParam {
  readonly value: unknown;
  readonly path: readonly string[];
}

/**
 * The parameters of a fault's entry: every key that is none of the entry's own, and what stands under `params`, which wins over
 * the same flat key. A flat key without a value is ignored.
 */
export function faultParamsOf(entry: Readonly<Record<string, unknown>>): ReadonlyMap<string, AuthoredParam> {
  const params = new Map<string, AuthoredParam>();
  for (const [name, value] of Object.entries(entry)) {
    if (!FAULT_KEYS.includes(name) && value !== null && value !== undefined) params.set(name, { value, path: [name] });
  }
  const grouped = entry['params'];
  if (grouped !== null && typeof grouped === 'object' && !Array.isArray(grouped)) {
    for (const [name, value] of Object.entries(grouped)) {
      if (value !== null) params.set(name, { value, path: ['params', name] });
    }
  }
  return params;
}
