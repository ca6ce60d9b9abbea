import { join } from 'node:path';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';
import { readJsonFile, removeFile, writeJsonFile } from './json-file.js';
import { isAlive, type ProcessIdentity } from '../host/process-identity.js';

/** What is known of a started component, as `run/<name>.pid` holds it. */
export interface PidFile extends ProcessIdentity {
  readonly name: ComponentName;
  readonly started_at: string;
  readonly version: string | null;
  readonly address: string | null;
}

const pathOf = (home: Home, name: ComponentName) => join(home.run, `${name}.pid`);

export function writePidFile(home: Home, file: PidFile): void {
  writeJsonFile(pathOf(home, file.name), file);
}

export function removePidFile(home: Home, name: ComponentName): void {
  removeFile(pathOf(home, name));
}

/** The component's process if it is still the one that the pid file names. */
export function livingProcess(home: Home, name: ComponentName): PidFile | null {
  const file = readJsonFile<PidFile>(pathOf(home, name));
  return file !== null && isAlive(file) ? file : null;
}
