import { sql } from 'kysely';
import type { Transaction } from 'kysely';
import { digestOf } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import { runIdOf } from '../model/ids.js';
import type { Plan } from '../model/plan.js';
import type { RunRequest } from '../model/run-request.js';
import { ENDED_STATUSES } from '../model/run.js';
import type { RunResult, RunStatus } from '../model/run.js';
import type { Database } from './database.js';
import { inTransaction } from './database.js';
import { appendEvents } from './event-store.js';
import { GENESIS_HASH } from './hash-chain.js';
import type { RunRow, RunSummary } from './run-row.js';
import type { Schema } from './schema.js';
import { storable } from './storable.js';

const ID_ATTEMPTS = 16;

/**
 * Makes a run, pending, with its plan and steps. `randomHex` gives the eight hex digits of its id, and is asked again when they are
 * taken. A second call with the same request key returns the run of the first.
 */
export async function createRun(
  db: Database,
  options: {
    readonly name: string;
    readonly plan: Plan;
    readonly requestKey: string;
    readonly request: RunRequest;
    readonly randomHex: () => string;
  },
): Promise<{ readonly runId: string }> {
  return inTransaction(db, async (trx) => {
    const plan = storable(options.plan);
    const request = storable(options.request);
    const [name, now] = [storable(options.name), await databaseTime(trx)];
    await trx
      .insertInto('plans')
      .values({ digest: plan.digest, name, plan: JSON.stringify(plan), created_at: now })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute();
    for (let attempt = 0; attempt < ID_ATTEMPTS; attempt += 1) {
      const runId = runIdOf({ name: options.name, randomHex: options.randomHex() });
      const inserted = await trx
        .insertInto('runs')
        .values({
          run_id: runId,
          name,
          request_key: options.requestKey,
          status: 'pending',
          plan_digest: plan.digest,
          request: JSON.stringify(request),
          created_at: now,
          last_hash: GENESIS_HASH,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning('run_id')
        .executeTakeFirst();
      if (inserted !== undefined) {
        await insertSteps(trx, runId, plan);
        await recordCreated(trx, {
          runId,
          name,
          requestKey: options.requestKey,
          planDigest: plan.digest,
          request,
          now,
        });
        return { runId };
      }
      const same = await trx
        .selectFrom('runs')
        .select('run_id')
        .where('request_key', '=', options.requestKey)
        .executeTakeFirst();
      if (same !== undefined) return { runId: same.run_id };
    }
    throw new MayhemError('internal.failed', `no free run id found for ${options.name} in ${ID_ATTEMPTS} attempts`);
  });
}

async function databaseTime(trx: Transaction<Schema>): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(trx);
  return (rows[0] as { now: string }).now;
}

async function insertSteps(trx: Transaction<Schema>, runId: string, plan: Plan): Promise<void> {
  if (plan.steps.length === 0) return;
  const rows = plan.steps.map(({ step_id, kind, seq, block }) => ({
    run_id: runId,
    step_id,
    kind,
    seq,
    block,
    state: 'planned',
  }));
  await trx.insertInto('steps').values(rows).execute();
}

/** The first event carries the digests of what the run is to do: an edit of its plan or request shows. */
async function recordCreated(
  trx: Transaction<Schema>,
  options: {
    readonly runId: string;
    readonly name: string;
    readonly requestKey: string;
    readonly planDigest: string;
    readonly request: RunRequest;
    readonly now: string;
  },
): Promise<void> {
  const { plan } = await trx
    .selectFrom('plans')
    .select('plan')
    .where('digest', '=', options.planDigest)
    .executeTakeFirstOrThrow();
  await appendEvents(trx, {
    runId: options.runId,
    events: [
      {
        kind: 'run.created',
        at: options.now,
        payload: {
          name: options.name,
          request_key: options.requestKey,
          actor: options.request.actor,
          plan_digest: options.planDigest,
          plan_content: digestOf(plan),
          request_digest: digestOf(options.request),
        },
      },
    ],
  });
}

function selectRuns(db: Database) {
  return db
    .selectFrom('runs')
    .innerJoin('plans', 'plans.digest', 'runs.plan_digest')
    .selectAll('runs')
    .select('plans.plan');
}

type Selected = Awaited<ReturnType<ReturnType<typeof selectRuns>['executeTakeFirstOrThrow']>>;

function toRunRow(row: Selected): RunRow {
  return { ...row, status: row.status as RunStatus };
}

/** A run with its plan, request, binding and result; null when there is none of that id. */
export async function findRun(db: Database, runId: string): Promise<RunRow | null> {
  const row = await selectRuns(db).where('runs.run_id', '=', runId).executeTakeFirst();
  return row === undefined ? null : toRunRow(row);
}

/** The run that one call started; null when it started none. */
export async function findRunByRequestKey(db: Database, requestKey: string): Promise<RunRow | null> {
  const row = await selectRuns(db).where('runs.request_key', '=', requestKey).executeTakeFirst();
  return row === undefined ? null : toRunRow(row);
}

/** The newest runs, newest first. */
export async function listRuns(db: Database, options: { readonly limit: number }): Promise<readonly RunSummary[]> {
  const rows = await db
    .selectFrom('runs')
    .select(['run_id', 'name', 'status', 'plan_digest', 'created_at', 'started_at', 'ended_at'])
    .select(sql<RunResult['verdict'] | null>`result ->> 'verdict'`.as('verdict'))
    .orderBy('created_at', 'desc')
    .orderBy('run_id', 'desc')
    .limit(options.limit)
    .execute();
  return rows.map((row) => ({ ...row, status: row.status as RunStatus }));
}

/** Ids of the runs that have not ended, oldest first. */
export async function activeRunIds(db: Database): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('runs')
    .select('run_id')
    .where('status', 'not in', [...ENDED_STATUSES])
    .orderBy('created_at')
    .execute();
  return rows.map((row) => row.run_id);
}
