import type { Transaction } from 'kysely';
import { digestOf } from '../model/digest.js';
import type { JsonObject } from '../model/json.js';
import type { Decision } from '../model/policy.js';
import type { Schema } from './schema.js';
import { storable } from './storable.js';

/** Stores what the gates decided; returns the payload of the event that carries their digests. */
export async function insertDecisions(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly decisions: readonly Decision[] },
): Promise<JsonObject> {
  const decisions = storable(options.decisions);
  if (decisions.length > 0) {
    const rows = decisions.map((decision, position) => ({ run_id: options.runId, position, ...decision }));
    await trx.insertInto('decisions').values(rows).execute();
  }
  return {
    decisions: decisions.length,
    refused: decisions.filter((decision) => !decision.allowed).length,
    digests: decisions.map(decisionDigest),
  };
}

export async function hasDecisions(trx: Transaction<Schema>, runId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('decisions')
    .select('position')
    .where('run_id', '=', runId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Digest of one decision, as its event carries it. */
export function decisionDigest(decision: Decision): string {
  const { gate, step_id, fault, allowed, reason } = decision;
  return digestOf({ gate, step_id, fault, allowed, reason });
}
