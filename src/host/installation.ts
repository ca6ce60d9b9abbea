import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The id of this installation, made (`preferred`, where a database knows it already) at first use; kept in MAYHEM_HOME. */
export async function ensureInstallationId(options: {
  readonly home: string;
  readonly preferred?: string | null;
}): Promise<string> {
  const file = join(options.home, 'installation');
  await mkdir(options.home, { recursive: true });
  const scratch = `${file}.${process.pid}`;
  await writeFile(scratch, options.preferred ?? randomUUID(), { mode: 0o600 });
  try {
    await link(scratch, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(scratch, { force: true });
  }
  return (await readFile(file, 'utf8')).trim();
}
