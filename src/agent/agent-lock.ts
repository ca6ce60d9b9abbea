import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { MayhemError } from '../model/error.js';
import { identityOf, isAlive, type ProcessIdentity } from '../host/process-identity.js';

/**
 * Takes the lock of an engine's agent: whoever holds it is the only writer to that engine's journal. A lock whose process is gone
 * is taken over. Throws `agent.locked` naming the living holder. The answer gives it back.
 */
export async function takeAgentLock(options: { readonly path: string }): Promise<() => Promise<void>> {
  const own = identityOf(process.pid);
  const scratch = `${options.path}.${process.pid}`;
  await writeFile(scratch, JSON.stringify(own), { mode: 0o600 });
  try {
    for (;;) {
      try {
        // link(2) fails when the name exists: the content is there the moment the lock is.
        await link(scratch, options.path);
        return () => rm(options.path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = await holderOf(options.path);
      if (holder !== null && isAlive(holder)) {
        throw new MayhemError('agent.locked', `another agent (pid ${holder.pid}) works for this engine already`, {
          hint: 'one agent for each engine is enough: `mayhem status` shows it',
        });
      }
      await rm(options.path, { force: true });
    }
  } finally {
    await rm(scratch, { force: true });
  }
}

async function holderOf(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}
