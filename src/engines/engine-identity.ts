import { randomUUID } from 'node:crypto';
import type { CallOptions, Engine } from './engine.js';

const IDENTITY_MARK = 'mayhem-engine';
const IDENTITY_LABEL = 'mayhem.engine-id';

/**
 * The id of our own that is stored in the engine, or null where none is yet. The engine's own `.ID` will not do:
 * two daemons on one machine report the same one.
 */
export async function readEngineId(engine: Engine, options: CallOptions = {}): Promise<string | null> {
  const mark = await engine.marks.read(IDENTITY_MARK, options);
  return mark?.labels[IDENTITY_LABEL] ?? null;
}

/** Reads the engine's id, giving it one first where it has none (`known`: the one it had before it was pruned). */
export async function ensureEngineId(
  engine: Engine,
  options: CallOptions & { readonly known?: string | null } = {},
): Promise<string> {
  const mark = await engine.marks.place(
    { name: IDENTITY_MARK, labels: { [IDENTITY_LABEL]: options.known ?? randomUUID() } },
    options,
  );
  return mark.labels[IDENTITY_LABEL] as string;
}
