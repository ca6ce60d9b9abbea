import { verifyRun } from '../../evidence/verify.js';
import { MayhemError } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext } from '../context.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const { run_id } = await requireRun(db, argument(context, 0));
    const { checked, ok, problems } = await verifyRun(db, run_id);
    const counts = Object.entries(checked).map(([what, count]) => `${count} ${what.replaceAll('_', ' ')}`);
    const data = { run_id, ok, checked, problems };
    const text = `${context.output.palette.green('whole')}: ${run_id}\nchecked ${counts.join(', ')}`;
    if (ok) return { data, text, exitCode: ExitCode.SUCCESS, evidenceRefs: [run_id] };
    const errors = problems.map(({ what, where }) => new MayhemError('evidence.tampered', `${where}: ${what}`));
    return { data, text: '', exitCode: ExitCode.VALIDATION_ERROR, errors, evidenceRefs: [run_id] };
  });
}
