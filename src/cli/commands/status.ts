import { ExitCode } from '../../model/exit-code.js';
import { stackStatus } from '../../stack/stack-status.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { statusTable } from '../status-table.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const home = homeOf(context);
  const components = await stackStatus({ home });
  const text = `${statusTable(components)}\n\nstate in ${home.path}`;
  return { data: { home: home.path, components }, text, exitCode: ExitCode.SUCCESS };
}
