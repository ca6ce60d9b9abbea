import { type Database, openDatabase } from '../evidence/database.js';
import { MayhemError } from '../model/error.js';
import { locateStack } from '../stack/ensure-stack.js';
import { type CommandContext, homeOf } from './context.js';
import { loadSettings } from './settings.js';

/** Runs `work` on the evidence database, which needs no worker and no Temporal, and closes it. Throws database.unreachable. */
export async function withDatabase<T>(
  context: CommandContext,
  work: (options: { readonly db: Database }) => Promise<T>,
): Promise<T> {
  const { config } = await loadSettings(context);
  const url = config.database_url ?? locateStack({ home: homeOf(context), config })?.databaseUrl;
  if (url === undefined || url === '') {
    throw new MayhemError('database.unreachable', 'there is no evidence database yet', {
      hint: 'Run `mayhem up`, or set MAYHEM_DATABASE_URL.',
    });
  }
  const db = openDatabase({ url, applicationName: 'mayhem-cli', maxConnections: 2 });
  try {
    return await work({ db });
  } finally {
    await db.destroy();
  }
}
