import type { ContainerState } from '../engines/engine.js';
import type { Blueprint } from '../model/blueprint.js';
import { MayhemError } from '../model/error.js';
import type { LiveContainer, LiveState } from '../model/topology.js';
import { type ComposeIdentity, composeIdentityOf } from './compose-labels.js';

const SHORT_ID = 12;

type Proven = Extract<LiveState, { readonly state: 'proven' }>;

/**
 * What runs of a stack, found by the labels compose gives its containers, never by a composed name. `project` null: the only project
 * that has services of the document; more than one is `target.ambiguous`. Containers of `compose run` are left out. Pure.
 */
export function liveStateOf(options: {
  readonly blueprint: Blueprint;
  readonly project: string | null;
  /** All containers of the engine. */
  readonly containers: readonly ContainerState[];
  readonly engine: Proven['engine'];
}): Proven {
  const declared = new Set(options.blueprint.services.map((service) => service.name));
  const made = options.containers.flatMap((container) => {
    const identity = composeIdentityOf(container.labels);
    return identity === null || identity.oneOff ? [] : [{ container, identity }];
  });
  const projects = [
    ...new Set(made.filter(({ identity }) => declared.has(identity.service)).map(({ identity }) => identity.project)),
  ].sort();
  const project = options.project ?? onlyOne(projects);
  const containers = made
    .filter(({ identity }) => identity.project === project)
    .map(({ container, identity }) => liveContainer(container, identity, declared.has(identity.service)))
    .sort(byServiceAndNumber);
  return {
    state: 'proven',
    engine: options.engine,
    project,
    elsewhere: projects.filter((name) => name !== project),
    containers,
  };
}

function onlyOne(projects: readonly string[]): string {
  const [first, ...more] = projects;
  if (more.length === 0) return first ?? '';
  throw new MayhemError('target.ambiguous', `this stack runs in several projects: ${projects.join(', ')}`, {
    hint: 'name the project in the compose file (`name:`) or by COMPOSE_PROJECT_NAME',
    details: { candidates: projects },
  });
}

function liveContainer(container: ContainerState, identity: ComposeIdentity, declared: boolean): LiveContainer {
  return {
    id: container.id,
    short_id: container.id.slice(0, SHORT_ID),
    name: container.name,
    service: identity.service,
    number: identity.number,
    declared,
    image: container.image,
    state: container.paused ? 'paused' : container.running ? 'running' : 'stopped',
    health: container.health,
    started_at: container.startedAt,
    pid: container.pid,
    auto_remove: container.autoRemove,
    ports: container.ports,
    networks: container.networks,
  };
}

function byServiceAndNumber(a: LiveContainer, b: LiveContainer): number {
  if (a.service !== b.service) return a.service < b.service ? -1 : 1;
  return a.number - b.number || (a.name < b.name ? -1 : 1);
}
