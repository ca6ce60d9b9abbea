import { migrate } from '../../evidence/migrate.js';
import { ExitCode } from '../../model/exit-code.js';
import type { CommandResult } from '../command-spec.js';
import type { CommandContext } from '../context.js';
import { withDatabase } from '../with-database.js';

export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const { applied, version } = await migrate(db);
    const what = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`;
    return { data: { version, applied }, text: `schema ${version}: ${what}`, exitCode: ExitCode.SUCCESS };
  });
}
