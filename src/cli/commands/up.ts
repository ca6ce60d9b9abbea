import { ExitCode } from '../../model/exit-code.js';
import { ensureStack } from '../../stack/ensure-stack.js';
import { stackStatus } from '../../stack/stack-status.js';
import type { CommandContext } from '../context.js';
import { homeOf } from '../context.js';
import type { CommandResult } from '../command-spec.js';
import { loadSettings } from '../settings.js';
import { statusTable } from '../status-table.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const { config } = await loadSettings(context);
  const home = homeOf(context);
  const startedMs = performance.now();
  const { env, output, own } = context;
  await ensureStack({ home, config, env, own, progress: (line) => output.progress(line) });
  const tookS = (performance.now() - startedMs) / 1000;
  const components = await stackStatus({ home });
  return {
    data: { home: home.path, ready_s: Number(tookS.toFixed(3)), components },
    text: `${statusTable(components)}\n\nready in ${tookS.toFixed(1)} s; state in ${home.path}; end it with \`mayhem down\``,
    exitCode: ExitCode.SUCCESS,
  };
}
