import { listRuns } from '../../evidence/run-store.js';
import { MayhemError } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import { runsTable } from '../../report/runs.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, textOption } from '../context.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

const DEFAULT_LIMIT = 20;

export function run(context: CommandContext): Promise<CommandResult> {
  const limit = limitOf(textOption(context, 'limit'));
  const only = textOption(context, 'run');
  return withDatabase(context, async ({ db }) => {
    if (only === null) return answer(await listRuns(db, { limit }));
    const found = await requireRun(db, only);
    const { created_at, ended_at, name, plan_digest, result, run_id, started_at, status } = found;
    const verdict = result?.verdict ?? null;
    return answer([{ run_id, name, status, verdict, plan_digest, created_at, started_at, ended_at }]);
  });
}

function answer(runs: Awaited<ReturnType<typeof listRuns>>): CommandResult {
  return { data: { runs }, text: runsTable(runs), exitCode: ExitCode.SUCCESS };
}

function limitOf(text: string | null): number {
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw new MayhemError('usage.invalid', `--limit takes a number from 1 to 10000, not "${text}"`);
}
