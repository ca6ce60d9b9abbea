import type { MechanismContract } from '../contract.js';

/** Burns CPU inside a container's control groups with a stressor of the host; nothing of it is in the container's image. */
export const stressContract: MechanismContract = {
  id: 'stress',
  undo: "kill every process that carries the lease's mark, and clear the container's control groups when it is gone",
  verify:
    "after: no process on the host carries the lease's mark, and no empty control group of a container that is gone is left; before: all workers are alive in the container's control groups and use CPU time",
  expiry: 'target',
  keepable: false,
  rechecks: true,
  needs: () => ['host.cgroups', 'host.stressor'],
  resources: ({ target }) => [`${target.engine_id}/${target.container_id}/cpu`],
};
