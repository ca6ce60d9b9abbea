import type { Database } from '../../evidence/database.js';
import { openDatabase } from '../../evidence/database.js';
import type { LeaseRow } from '../../evidence/lease-row.js';
import { openLeases } from '../../evidence/lease-store.js';
import { liftStop, setStop } from '../../evidence/request-store.js';
import { activeRunIds } from '../../evidence/run-store.js';
import { MayhemError } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import type { StackLocation } from '../../stack/stack-file.js';
import { abortRun } from '../abort-run.js';
import { currentActor } from '../actor.js';
import { closeLeases } from '../close-leases.js';
import type { CommandResult } from '../command-spec.js';
import { argument, type CommandContext, flag, homeOf, textOption } from '../context.js';
import { loadSettings } from '../settings.js';
import { requireRun } from '../require-run.js';
import { requireLocation } from '../stack-location.js';

/** Beyond a run's own recovery grace. */
const MARGIN_MS = 10_000;
const DELIVER_WITHIN_MS = 15_000;

export async function run(context: CommandContext): Promise<CommandResult> {
  const runId = argument(context, 0);
  const wanted = [runId !== null, flag(context, 'all'), flag(context, 'lift')].filter(Boolean).length;
  if (wanted !== 1) {
    throw new MayhemError('usage.invalid', '`mayhem stop` takes a run, or --all, or --lift: exactly one of them', {
      hint: 'List the runs with `mayhem inspect runs`.',
    });
  }
  const { config } = await loadSettings(context);
  const location = requireLocation({ home: homeOf(context), config });
  const db = openDatabase({ url: location.databaseUrl, applicationName: 'mayhem-cli', maxConnections: 4 });
  try {
    if (flag(context, 'lift')) return await lift(context, db);
    const graceMs = config.recovery_grace_ms;
    return runId === null
      ? await stopAll({ context, db, location, graceMs })
      : await stopOne({ context, db, location, runId });
  } finally {
    await db.destroy();
  }
}

async function lift(context: CommandContext, db: Database): Promise<CommandResult> {
  const lifted = await liftStop(db, { actor: currentActor({ uid: context.uid }) });
  const text = lifted ? 'new runs are allowed again' : 'new runs were allowed already';
  return { data: { lifted }, text, exitCode: ExitCode.SUCCESS };
}

async function stopOne(options: {
  readonly context: CommandContext;
  readonly db: Database;
  readonly location: StackLocation;
  readonly runId: string;
}): Promise<CommandResult> {
  const { db, runId } = options;
  const run = await requireRun(db, runId);
  if (run.ended_at === null) await abort(options);
  return answer(options, [runId], run.request.recovery_grace_ms);
}

async function stopAll(options: {
  readonly context: CommandContext;
  readonly db: Database;
  readonly location: StackLocation;
  readonly graceMs: number;
}): Promise<CommandResult> {
  const { context, db } = options;
  const actor = currentActor({ uid: context.uid });
  await setStop(db, { actor, reason: textOption(context, 'reason') ?? 'stop --all' });
  context.output.progress('new runs are refused until `mayhem stop --lift`');
  const active = await activeRunIds(db);
  await Promise.all(active.map((runId) => abort({ ...options, runId })));
  const leftOver = (await openLeases(db)).map((lease) => lease.run_id);
  return answer(options, [...new Set([...active, ...leftOver])], options.graceMs);
}

function abort(options: {
  readonly context: CommandContext;
  readonly db: Database;
  readonly location: StackLocation;
  readonly runId: string;
}): Promise<void> {
  const { context, db, location, runId } = options;
  return abortRun({
    db,
    temporal: location.temporal,
    env: context.env,
    runId,
    actor: currentActor({ uid: context.uid }),
    reason: textOption(context, 'reason') ?? 'stopped by an operator',
    withinMs: DELIVER_WITHIN_MS,
  });
}

async function answer(
  options: { readonly context: CommandContext; readonly db: Database },
  runIds: readonly string[],
  graceMs: number,
): Promise<CommandResult> {
  const { context, db } = options;
  const open = await closeLeases({ db, home: homeOf(context), runIds, withinMs: graceMs + MARGIN_MS });
  const data = { runs: runIds, open_leases: open.map(({ lease_id, run_id, state }) => ({ lease_id, run_id, state })) };
  if (open.length === 0) {
    const what = runIds.length === 0 ? 'nothing was running' : `stopped ${runIds.join(', ')}`;
    return { data, text: `${what}; every fault is proven undone`, exitCode: ExitCode.SUCCESS, evidenceRefs: runIds };
  }
  const exitCode = ExitCode.RECOVERY_FAILURE;
  return { data, text: '', exitCode, errors: open.map(unproven), evidenceRefs: runIds };
}

function unproven(lease: LeaseRow): MayhemError {
  const what = `${lease.fault} on ${lease.target_name} (lease ${lease.lease_id} of ${lease.run_id}) is ${lease.state}`;
  return new MayhemError('undo.unproven', `${what}: its end is not proven`, {
    hint: 'The agent goes on trying; see `mayhem inspect leases` and `mayhem status`.',
    details: { lease_id: lease.lease_id, run_id: lease.run_id },
  });
}
