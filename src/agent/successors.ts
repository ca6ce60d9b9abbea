import type { MechanismContract } from '../mechanisms/contract.js';
import type { ContainerTarget, LeaseSpec } from '../model/lease.js';
import type { JournaledLease } from './journal-entry.js';

/**
 * The lease with the incarnation of its container that an earlier fault of the same run brought up, in place of the one it was bound
 * to at admission: a run that kills a container goes on with what was started after it. Any other incarnation stays drift. What the lease
 * owns follows, where it is named after the incarnation (its network namespace). Pure.
 */
export function repinnedSpec(options: {
  readonly spec: LeaseSpec;
  /** All that the journal knows, oldest first. */
  readonly leases: readonly JournaledLease[];
  readonly contract: MechanismContract;
}): LeaseSpec {
  const { spec, contract } = options;
  const successor = successorOf(options);
  if (successor === null || successor.started_at === spec.target.started_at) return spec;
  const target: ContainerTarget = { ...spec.target, started_at: successor.started_at, netns: successor.netns };
  const stale = new Set(contract.resources({ target: spec.target, params: spec.params }));
  return {
    ...spec,
    target,
    resources: [
      ...spec.resources.filter((resource) => !stale.has(resource)),
      ...contract.resources({ target, params: spec.params }),
    ],
  };
}

function successorOf(options: {
  readonly spec: LeaseSpec;
  readonly leases: readonly JournaledLease[];
}): ContainerTarget | null {
  const { run_id, target } = options.spec;
  // Leases of one run on one container follow each other, so the last one knows the newest.
  const chain = options.leases.flatMap(({ record, successor }) =>
    successor !== null && record?.lease.run_id === run_id && successor.container_id === target.container_id
      ? [{ origin: record.lease.target.started_at, successor }]
      : [],
  );
  const isOfChain = chain.some(({ origin }) => origin === target.started_at);
  return isOfChain ? (chain.at(-1)?.successor ?? null) : null;
}
