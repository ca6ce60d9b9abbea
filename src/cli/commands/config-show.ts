import { ExitCode } from '../../model/exit-code.js';
import { alignedTable } from '../../report/aligned-table.js';
import type { CommandResult } from '../command-spec.js';
import type { CommandContext } from '../context.js';
import { loadSettings } from '../settings.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const { origins } = await loadSettings(context);
  const rows = origins.map(({ key, origin, value }) => [key, JSON.stringify(value), origin]);
  const values = origins.map(({ key, origin, value }) => ({ key, value, origin }));
  return {
    data: { values },
    text: alignedTable({ head: ['KEY', 'VALUE', 'ORIGIN'], rows }),
    exitCode: ExitCode.SUCCESS,
  };
}
