import { eventsAfter } from '../../evidence/event-store.js';
import { ExitCode } from '../../model/exit-code.js';
import { historyTable } from '../../report/history.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext } from '../context.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const { run_id } = await requireRun(db, argument(context, 0));
    const events = await eventsAfter(db, { runId: run_id, seq: 0 });
    return {
      data: { run_id, events },
      text: historyTable({ events, everyEvent: context.output.debug }),
      exitCode: ExitCode.SUCCESS,
      evidenceRefs: [run_id],
    };
  });
}
