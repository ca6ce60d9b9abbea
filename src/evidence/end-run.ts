import type { Transaction } from 'kysely';
import type { CriterionResult } from '../model/criterion.js';
import { digestOf } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import type { Decision } from '../model/policy.js';
import type { RunResult } from '../model/run.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { hasDecisions, insertDecisions } from './decision-rows.js';
import { deriveRun } from './derive-run.js';
import { appendEvents, lockRun } from './event-store.js';
import type { NewEvent } from './event-store.js';
import { closeUnstartedLeases } from './lease-store.js';
import type { Schema } from './schema.js';
import { storable, storableTime } from './storable.js';

const END_KINDS = { completed: 'run.completed', failed: 'run.failed', aborted: 'run.aborted' } as const;

/**
 * Ends a run that could not begin: failed, with the problem and what the gates decided. Does nothing when the run has ended.
 * Throws `run.missing`.
 */
export async function refuseRun(
  db: Database,
  options: {
    readonly runId: string;
    readonly problem: { readonly code: string; readonly message: string };
    readonly decisions: readonly Decision[];
    readonly at: string;
  },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    if (run.ended_at !== null) return;
    // A run refused after its admission has its decisions already.
    const decisions = (await hasDecisions(trx, options.runId)) ? [] : options.decisions;
    const decided = await insertDecisions(trx, { runId: options.runId, decisions });
    await appendEvents(trx, {
      runId: options.runId,
      events: [{ kind: 'safety.refused', at: options.at, payload: { ...decided, problem: options.problem } }],
    });
    const result = await deriveRun(trx, { ...options, endedAt: options.at, aborted: false, status: 'failed' });
    await end(trx, { runId: options.runId, result, at: options.at });
  });
}

/**
 * Ends a run with the result its rows give, in one transaction: nothing can be recorded between the two. Returns the stored result,
 * the first one when the run has ended already. `status` only where the caller knows better than the rows how the run ended.
 * Throws `run.missing`.
 */
export async function concludeRun(
  db: Database,
  options: {
    readonly runId: string;
    readonly aborted: boolean;
    readonly problem: RunResult['problem'];
    readonly at: string;
    readonly status?: 'completed' | 'failed' | 'aborted';
  },
): Promise<RunResult> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    if (run.ended_at === null) {
      const result = await deriveRun(trx, { ...options, endedAt: storableTime(options.at) });
      await end(trx, { runId: options.runId, result, at: options.at });
    }
    const { result } = await trx
      .selectFrom('runs')
      .select('result')
      .where('run_id', '=', options.runId)
      .executeTakeFirstOrThrow();
    if (result === null)
      throw new MayhemError('evidence.tampered', `run ${options.runId} has ended, but its result is gone`);
    return result;
  });
}

/**
 * Ends a run with its result: criteria, verdict and status are stored, leases that were never armed are closed. Does nothing when
 * the run has ended. Throws `run.missing`; `internal.failed` when the result's status is not one a run ends with.
 */
export async function finishRun(
  db: Database,
  options: { readonly runId: string; readonly result: RunResult; readonly at: string },
): Promise<void> {
  await inTransaction(db, async (trx) => {
    const run = await lockRun(trx, options.runId);
    if (run.ended_at === null) await end(trx, options);
  });
}

async function end(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly result: RunResult; readonly at: string },
): Promise<void> {
  const result = storable(options.result);
  const kind = END_KINDS[result.status as keyof typeof END_KINDS];
  if (kind === undefined) throw new MayhemError('internal.failed', `a run cannot end as ${result.status}`);
  await closeUnstartedLeases(trx, { runId: options.runId, at: options.at });
  await insertCriteria(trx, options.runId, result.criteria);
  await trx
    .updateTable('runs')
    .set({ result: JSON.stringify(result) })
    .where('run_id', '=', options.runId)
    .execute();
  await appendEvents(trx, { runId: options.runId, events: endEvents(kind, result, options.at) });
}

async function insertCriteria(
  trx: Transaction<Schema>,
  runId: string,
  criteria: readonly CriterionResult[],
): Promise<void> {
  if (criteria.length === 0) return;
  const rows = criteria.map((criterion, position) => ({ run_id: runId, version: 1, position, ...criterion }));
  await trx.insertInto('criteria').values(rows).execute();
}

function endEvents(kind: NewEvent['kind'], result: RunResult, at: string): readonly NewEvent[] {
  return [
    { kind: 'criteria.evaluated', at, payload: { criteria: result.criteria.map((criterion) => ({ ...criterion })) } },
    {
      kind,
      at,
      payload: {
        verdict: result.verdict,
        reasons: result.reasons.map((reason) => ({ ...reason })),
        aborted: result.reasons.some((reason) => reason.code === 'aborted'),
        problem: result.problem,
        wall_s: result.wall_s,
        result_digest: digestOf(result),
      },
    },
  ];
}
