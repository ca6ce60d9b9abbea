import type { Transaction } from 'kysely';
import type { RunStatus } from '../model/run.js';
import { NEW_LEASE, reduceLease, reduceRun, reduceStep } from './reduce.js';
import type { Fact, LeaseFacts, RunState, StepProgress } from './reduce.js';
import type { Schema } from './schema.js';

/** Brings the rows of runs, steps and leases to what new events of a run say. The run's row must be locked. */
export async function project(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly events: readonly Fact[] },
): Promise<void> {
  await projectRun(trx, options.runId, options.events);
  for (const [stepId, facts] of groupBy(options.events.filter(isStepFact), 'step_id')) {
    await projectStep(trx, options.runId, stepId, facts);
  }
  for (const [leaseId, facts] of groupBy(options.events.filter(isLeaseFact), 'lease_id')) {
    await projectLease(trx, options.runId, leaseId, facts);
  }
}

export function isStepFact(fact: Fact): boolean {
  return fact.kind.startsWith('step.');
}

export function isLeaseFact(fact: Fact): boolean {
  return fact.kind === 'lease.state_changed' || fact.kind.startsWith('fault.');
}

function groupBy(facts: readonly Fact[], key: string): ReadonlyMap<string, readonly Fact[]> {
  const groups = new Map<string, Fact[]>();
  for (const fact of facts) {
    const id = fact.payload[key];
    if (typeof id !== 'string') continue;
    groups.set(id, [...(groups.get(id) ?? []), fact]);
  }
  return groups;
}

async function projectRun(trx: Transaction<Schema>, runId: string, facts: readonly Fact[]): Promise<void> {
  if (!facts.some((fact) => fact.kind.startsWith('run.'))) return;
  const row = await trx
    .selectFrom('runs')
    .select(['status', 'started_at', 'ended_at'])
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  const before: RunState = { ...row, status: row.status as RunStatus };
  const after = facts.reduce(reduceRun, before);
  if (after === before) return;
  await trx.updateTable('runs').set(after).where('run_id', '=', runId).execute();
}

async function projectStep(
  trx: Transaction<Schema>,
  runId: string,
  stepId: string,
  facts: readonly Fact[],
): Promise<void> {
  const row = await trx
    .selectFrom('steps')
    .select(['state', 'started_at', 'ended_at'])
    .where('run_id', '=', runId)
    .where('step_id', '=', stepId)
    .executeTakeFirst();
  if (row === undefined) return;
  const after = facts.reduce(reduceStep, { ...row, state: row.state as StepProgress });
  await trx.updateTable('steps').set(after).where('run_id', '=', runId).where('step_id', '=', stepId).execute();
}

async function projectLease(
  trx: Transaction<Schema>,
  runId: string,
  leaseId: string,
  facts: readonly Fact[],
): Promise<void> {
  const row = await trx
    .selectFrom('leases')
    .select(Object.keys(NEW_LEASE) as (keyof LeaseFacts)[])
    .where('lease_id', '=', leaseId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (row === undefined) return;
  const after = facts.reduce(reduceLease, row as LeaseFacts);
  await trx.updateTable('leases').set(after).where('lease_id', '=', leaseId).execute();
}
