import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';

/** After this long without a beat a component is reported as stale. */
export const STALE_AFTER_MS = 3000;
/** After this long without a beat a component is ended by force and started anew. */
export const HUNG_AFTER_MS = 10_000;

/** Touched each second by worker and agent while they are well. */
export function beatFileOf(home: Home, name: ComponentName): string {
  return join(home.run, `${name}.beat`);
}

/** When the file was last touched, in milliseconds since the epoch; null when it is not there. */
export function lastBeatMs(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}
