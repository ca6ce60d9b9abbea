import type { ContainerState } from '../../engines/engine.js';
import { type Cgroup, containerFolderOf, hasController, readCgroups } from '../../engines/host/cgroups.js';
import { MayhemError } from '../../model/error.js';
import type { LeaseSpec } from '../../model/lease.js';
import type { ActContext } from '../mechanism.js';
import type { JoinedGroup } from './recipe.js';

/**
 * Hierarchies of version 1 that a stressor stays out of. In a frozen group SIGKILL waits for the thaw; and runc takes a container's groups
 * for occupied, and refuses to start it again, by looking at `devices` alone.
 */
const NOT_JOINED = ['freezer', 'devices'];

export function pinned(context: ActContext, lease: LeaseSpec): Promise<ContainerState | null> {
  return context.engine.containers.inspect(lease.target.container_id, context);
}

export function isSame(state: ContainerState, lease: LeaseSpec): boolean {
  return state.id === lease.target.container_id && state.startedAt === lease.target.started_at;
}

/**
 * The groups of the target's main process that a stressor joins, and all its groups, for reading. Throws `capability.unsupported` when the
 * target's CPU group is not its own or cannot be reached.
 */
export async function groupsOfTarget(
  state: ContainerState,
): Promise<{ readonly all: readonly Cgroup[]; readonly joined: readonly JoinedGroup[] }> {
  const all = (await readCgroups(state.pid)) ?? [];
  const own = all.flatMap((group) => {
    const folder = containerFolderOf(group, state.id);
    return folder === null ? [] : [{ group, folder }];
  });
  const joined = own.filter(({ group }) => !NOT_JOINED.some((name) => group.controllers.split(',').includes(name)));
  // Where both versions are mounted, `cpu` is of version 1 when it is listed there at all.
  const cpu =
    all.find((group) => group.controllers.split(',').includes('cpu')) ?? all.find((group) => group.controllers === '');
  if (cpu === undefined || !joined.some(({ group }) => group === cpu && hasController(group, 'cpu'))) {
    throw new MayhemError(
      'capability.unsupported',
      `${state.name} has no control group of its own for CPU that can be seen from here`,
      {
        hint: "run the agent on the engine's host, outside containers, and the engine with control groups for its containers",
        details: { cgroups: all.map(({ controllers, path }) => `${controllers}:${path}`) },
      },
    );
  }
  return {
    all,
    joined: joined.map(({ group, folder }) => ({ controllers: group.controllers, folder: group.folder, own: folder })),
  };
}

export function drift(lease: LeaseSpec, what: string, state: ContainerState | null): MayhemError {
  return new MayhemError('target.drift', `${lease.target.name} ${what}`, {
    hint: 'start the drill again, so that it is bound to what runs now',
    details: {
      pinned: lease.target.container_id,
      started_at: lease.target.started_at,
      found: state?.startedAt ?? null,
    },
  });
}
