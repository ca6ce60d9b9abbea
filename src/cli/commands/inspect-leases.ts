import type { LeaseRow } from '../../evidence/lease-row.js';
import { leasesOfRun, openLeases } from '../../evidence/lease-store.js';
import { contracts } from '../../mechanisms/contracts.js';
import { ExitCode } from '../../model/exit-code.js';
import { leasesTable } from '../../report/leases.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, textOption } from '../context.js';
import { requireRun } from '../require-run.js';
import { withDatabase } from '../with-database.js';

export function run(context: CommandContext): Promise<CommandResult> {
  const runId = textOption(context, 'run');
  return withDatabase(context, async ({ db }) => {
    const leases = runId === null ? await openLeases(db) : await leasesOfRun(db, (await requireRun(db, runId)).run_id);
    return {
      data: { leases: leases.map(leaseJson) },
      text: leasesTable(leases.map((lease) => ({ ...lease, undo: contracts[lease.spec.mechanism].undo }))),
      exitCode: ExitCode.SUCCESS,
    };
  });
}

function leaseJson(lease: LeaseRow): Readonly<Record<string, unknown>> {
  const { deadline, fault, injected_at, injection, lease_id, outcome, released_by, run_id, state, step_id, undone_at } =
    lease;
  const target = lease.target_name;
  return {
    lease_id,
    run_id,
    step_id,
    fault,
    target,
    state,
    deadline,
    released_by,
    outcome,
    injection,
    injected_at,
    undone_at,
  };
}
