import { openDatabase } from '../../evidence/database.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext, homeOf } from '../context.js';
import { followToEnd } from '../follow-to-end.js';
import { Interrupts } from '../interrupts.js';
import { loadSettings } from '../settings.js';
import { requireLocation } from '../stack-location.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const runId = argument(context, 0) ?? '';
  const { config } = await loadSettings(context);
  const location = requireLocation({ home: homeOf(context), config });
  const db = openDatabase({ url: location.databaseUrl, applicationName: 'mayhem-cli', maxConnections: 2 });
  const interrupts = new Interrupts();
  try {
    return await followToEnd({ context, db, location, runId, interrupts });
  } finally {
    interrupts.close();
    await db.destroy();
  }
}
