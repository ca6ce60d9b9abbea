import type { Transaction } from 'kysely';
import { digestOf } from '../model/digest.js';
import type { JsonObject } from '../model/json.js';
import type { Proof } from '../model/lease.js';
import type { Schema } from './schema.js';
import { storable, storableTime } from './storable.js';

/** Stores proofs of a lease, each once; returns what their event says of them. */
export async function insertProofs(
  trx: Transaction<Schema>,
  options: { readonly runId: string; readonly leaseId: string; readonly proofs: readonly Proof[] },
): Promise<readonly JsonObject[]> {
  const proofs = options.proofs.map((proof) => ({ ...storable(proof), at: storableTime(proof.at) }));
  const rows = proofs.map((proof) => ({
    lease_id: options.leaseId,
    run_id: options.runId,
    digest: proofDigest({ leaseId: options.leaseId, proof }),
    stage: proof.stage,
    outcome: proof.outcome,
    at: proof.at,
    read: JSON.stringify(proof.read),
  }));
  const distinct = [...new Map(rows.map((row) => [row.digest, row])).values()];
  if (distinct.length > 0) {
    await trx
      .insertInto('proofs')
      .values(distinct)
      .onConflict((conflict) => conflict.columns(['lease_id', 'digest']).doNothing())
      .execute();
  }
  return distinct.map(({ stage, outcome, digest }) => ({ stage, outcome, digest }));
}

/** Digest of a proof with the lease it belongs to. */
export function proofDigest(options: { readonly leaseId: string; readonly proof: Proof }): string {
  const { stage, outcome, at, read } = options.proof;
  return digestOf({ lease_id: options.leaseId, stage, outcome, at, read });
}
