import type { Json, JsonObject } from './json.js';

/** A member of a JSON value that may be of any form; undefined when the value is no object or has none of that name. */
export function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const object = value as JsonObject;
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A member that is a text; null when it is none. */
export function textMember(value: Json | undefined, name: string): string | null {
  const found = member(value, name);
  return typeof found === 'string' ? found : null;
}

/** A member that is a number; null when it is none. */
export function numberMember(value: Json | undefined, name: string): number | null {
  const found = member(value, name);
  return typeof found === 'number' ? found : null;
}

/** The items of a member that is a list; none when it is no list. */
export function listMember(value: Json | undefined, name: string): readonly Json[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}
