import { ExitCode } from '../../model/exit-code.js';
import { prepareHome } from '../../stack/home.js';
import { runWorker } from '../../worker/run-worker.js';
import { PART_VARIABLE } from '../../stack/stray.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { loadSettings } from '../settings.js';
import { requireLocation } from '../stack-location.js';
import { untilSignalled } from '../until-signalled.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const { config } = await loadSettings(context);
  const home = homeOf(context);
  // It marks this process, not those that it starts.
  delete process.env[PART_VARIABLE];
  prepareHome(home);
  const { databaseUrl, temporal } = requireLocation({ home, config });
  await runWorker({ home: home.path, databaseUrl, temporal, signal: untilSignalled() });
  return { data: null, text: '', exitCode: ExitCode.SUCCESS };
}
