import { boundary } from '../host/boundary.js';
import { MayhemError } from '../model/error.js';
import type { LeaseSpec, UndoRecord } from '../model/lease.js';
import { type AgentOptions, contextFor, nowOf } from './agent-options.js';
import { upperDeadlineOf } from './arm-lease.js';
import { claimAll, endClaims, findClaim } from './claims.js';
import { repinnedSpec } from './successors.js';

/**
 * Snapshot, undo record, claim on the engine, in this order; `onClaimed` is told as soon as the claim is held. A lease that is claimed already
 * returns the record it was claimed with. Throws what the mechanism's snapshot throws, `lease.conflict`, and `target.drift` when the target changed
 * while it was being claimed; nothing is left behind then.
 */
export async function prepareLease(
  options: AgentOptions & { readonly onClaimed: () => void },
  asked: LeaseSpec,
): Promise<UndoRecord> {
  const { engine, mechanisms, journal } = options;
  const mechanism = mechanisms[asked.mechanism];
  const spec = repinnedSpec({ spec: asked, leases: journal.leases, contract: mechanism.contract });
  const context = contextFor(options);
  const { signal } = context;
  const claimed = await findClaim({ engine, leaseId: spec.lease_id, resources: spec.resources, signal });
  if (claimed?.record) return claimed.record;
  const fingerprint = await mechanism.snapshot(context, spec);
  const record: UndoRecord = {
    schema: 'mayhem/undo/v1',
    lease: spec,
    installation_id: options.installationId,
    prepared_at: nowOf(options.clock),
    fingerprint,
    recipe: mechanism.recipe({ lease: spec, fingerprint }),
  };
  await boundary('agent.before-claim');
  await claimAll({ engine, record, deadline: upperDeadlineOf(options, spec), signal });
  options.onClaimed();
  await boundary('agent.after-claim');
  // Whoever held the claim until a moment ago may have been in force when the snapshot was taken.
  const again = await mechanism.snapshot(context, spec).catch((error: unknown) => error as Error);
  if (JSON.stringify(again) !== JSON.stringify(fingerprint)) {
    await endClaims({ engine, leaseId: spec.lease_id, resources: spec.resources, signal });
    if (again instanceof Error) throw again;
    throw new MayhemError('target.drift', `${spec.target.name} changed while it was being claimed`, {
      hint: 'start the drill again',
    });
  }
  return record;
}
