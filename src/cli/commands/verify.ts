import { verifyRun } from '../../evidence/verify.js';
import { MayhemError } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import { verifyText } from '../../report/verify-text.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext } from '../context.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const { run_id } = await requireRun(db, argument(context, 0));
    const report = await verifyRun(db, run_id);
    const errors = report.problems.map(({ what, where }) => new MayhemError('evidence.tampered', `${where}: ${what}`));
    return {
      data: { run_id, ...report },
      text: verifyText({ runId: run_id, report }),
      exitCode: report.ok ? ExitCode.SUCCESS : ExitCode.VALIDATION_ERROR,
      errors: context.output.isText ? [] : errors,
      evidenceRefs: [run_id],
    };
  });
}
