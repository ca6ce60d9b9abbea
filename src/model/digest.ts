import { createHash } from 'node:crypto';
import { canonicalJson } from './json.js';

/** SHA-256 of a text, in lower-case hex (FIPS 180-4). Never imported by workflow code, which has no Node builtins. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** SHA-256 over the canonical JSON form of a value, in lower-case hex. */
export function digestOf(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}
