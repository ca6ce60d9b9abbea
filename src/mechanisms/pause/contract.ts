import type { MechanismContract } from '../contract.js';

/** Freezes all processes of a container through the engine (the kernel's cgroup freezer). */
export const pauseContract: MechanismContract = {
  id: 'pause',
  undo: 'unpause the container through the engine',
  verify:
    'engine reports the same incarnation running and not paused; the cgroup freezer, where it can be read, is thawed',
  expiry: 'agent',
  keepable: true,
  rechecks: false,
  needs: () => ['engine.pause'],
  resources: ({ target }) => [`${target.engine_id}/${target.container_id}/state`],
};
