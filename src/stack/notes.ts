import { join } from 'node:path';
import type { ComponentName } from './component.js';
import type { Home } from './home.js';
import { readJsonFile, writeJsonFile } from './json-file.js';
import { isAlive, type ProcessIdentity } from '../host/process-identity.js';

/** Why a component is not running: a code of the error catalogue, and what to do. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

/** `waiting`: it cannot run for a reason outside the stack; it is tried again all the time. */
export interface ComponentNote {
  readonly state: 'starting' | 'running' | 'waiting';
  readonly restarts: number;
  readonly problem: Problem | null;
}

/** What the supervisor says about itself and what it keeps, as `run/supervisor.json` holds it. */
export interface SupervisorNotes extends ProcessIdentity {
  readonly version: string;
  readonly started_at: string;
  readonly components: { readonly [name in ComponentName]?: ComponentNote };
}

export const notesFile = (home: Home) => join(home.run, 'supervisor.json');

export function writeNotes(home: Home, notes: SupervisorNotes): void {
  writeJsonFile(notesFile(home), notes);
}

/** The notes of a living supervisor; those of a dead one say nothing any more. */
export function livingNotes(home: Home): SupervisorNotes | null {
  const notes = readJsonFile<SupervisorNotes>(notesFile(home));
  return notes !== null && isAlive(notes) ? notes : null;
}
