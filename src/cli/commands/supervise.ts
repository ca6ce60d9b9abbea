import { connectDocker } from '../../engines/docker/docker-engine.js';
import { openDatabase } from '../../evidence/database.js';
import { migrate } from '../../evidence/migrate.js';
import { openLog } from '../../host/log.js';
import { ExitCode } from '../../model/exit-code.js';
import { superviseStack } from '../../stack/supervise.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { loadSettings } from '../settings.js';
import { untilSignalled } from '../until-signalled.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const { config } = await loadSettings(context);
  const write = openLog({ name: 'supervisor' });
  const { env } = context;
  await superviseStack({
    home: homeOf(context),
    config,
    env,
    uid: context.uid,
    own: context.own,
    migrate: migrateAt,
    engineAnswers: async () => {
      await connectDocker({ host: env.DOCKER_HOST ?? null });
    },
    log: ({ event, ...fields }) => write(event, fields),
    signal: untilSignalled(),
  });
  return { data: null, text: '', exitCode: ExitCode.SUCCESS };
}

async function migrateAt(url: string): Promise<void> {
  const db = openDatabase({ url, applicationName: 'mayhem-up', maxConnections: 1 });
  try {
    await migrate(db);
  } finally {
    await db.destroy();
  }
}
