import type { MechanismContract } from '../contract.js';

/** Refuses, resets or drops packets of one port by rules of our own in the target's network namespace, which end by themselves. */
export const firewallContract: MechanismContract = {
  id: 'firewall',
  undo: "remove the lease's own table (or chains) from the target's network namespace",
  verify:
    "neither the pinned network namespace nor the target's present one holds anything of the lease; its pin is gone",
  expiry: 'target',
  keepable: true,
  rechecks: false,
  needs: () => ['host.network_namespace', 'host.firewall'],
  // Containers that share a network namespace share its rules.
  resources: ({ target }) => [
    target.netns === null
      ? `${target.engine_id}/${target.container_id}/net`
      : `${target.engine_id}/netns:${target.netns}/net`,
  ],
};
