import { boundary } from '../host/boundary.js';
import type { UndoRecord } from '../model/lease.js';
import { type AgentOptions, ENGINE_DEADLINE_MS } from './agent-options.js';
import { allClaims, type Claim, endClaims } from './claims.js';

/** The claim that a lease holds on the engine, whosever it is; null: none. */
export async function claimOfLease({ engine }: AgentOptions, leaseId: string): Promise<Claim | null> {
  const claims = await allClaims({ engine, signal: AbortSignal.timeout(ENGINE_DEADLINE_MS) });
  return claims.find((claim) => claim.lease_id === leaseId) ?? null;
}

/** Gives free what a lease owned. A claim that stays behind is no fault: the sweep takes it. */
export async function releaseClaims({ engine, log }: AgentOptions, { lease }: UndoRecord): Promise<void> {
  try {
    const signal = AbortSignal.timeout(ENGINE_DEADLINE_MS);
    await endClaims({ engine, leaseId: lease.lease_id, resources: lease.resources, signal });
    await boundary('agent.after-release');
  } catch (error) {
    log('claim.left', { lease_id: lease.lease_id, problem: (error as Error).message });
  }
}
