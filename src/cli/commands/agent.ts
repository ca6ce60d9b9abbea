import { runAgent } from '../../agent/run-agent.js';
import { ExitCode } from '../../model/exit-code.js';
import { prepareHome } from '../../stack/home.js';
import { PART_VARIABLE } from '../../stack/stray.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { untilSignalled } from '../until-signalled.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const home = homeOf(context);
  // It marks this process, not those that it starts.
  delete process.env[PART_VARIABLE];
  prepareHome(home);
  await runAgent({ home: home.path, dockerHost: context.env.DOCKER_HOST ?? null, signal: untilSignalled() });
  return { data: null, text: '', exitCode: ExitCode.SUCCESS };
}
