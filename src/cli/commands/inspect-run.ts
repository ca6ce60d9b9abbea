import { leasesOfRun } from '../../evidence/lease-store.js';
import { ExitCode } from '../../model/exit-code.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext } from '../context.js';
import { answerOfRun } from '../run-answer.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

/** A run's summary and data; unlike `attach` it exits 0 whatever became of the run. */
export function run(context: CommandContext): Promise<CommandResult> {
  return withDatabase(context, async ({ db }) => {
    const found = await requireRun(db, argument(context, 0));
    const { binding, created_at, ended_at, name, plan, plan_digest, request, result, run_id, started_at, status } =
      found;
    const leases = await leasesOfRun(db, run_id);
    const data = {
      run_id,
      name,
      status,
      plan_digest,
      created_at,
      started_at,
      ended_at,
      result,
      request,
      binding,
      leases,
      plan,
    };
    if (result === null) {
      const text = `# Run ${run_id}\n**status**: ${status}\n\nfollow it with \`mayhem attach ${run_id}\``;
      return { data, text, exitCode: ExitCode.SUCCESS, evidenceRefs: [run_id] };
    }
    const { text } = await answerOfRun({ db, run: found, output: context.output, requirePass: false });
    return { data, text, exitCode: ExitCode.SUCCESS, evidenceRefs: [run_id] };
  });
}
