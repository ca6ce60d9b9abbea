import type { ContainerState } from '../src/engines/engine.js';
import type { Blueprint, Service } from '../src/model/blueprint.js';

/** A service with what a test says of it. */
export function serviceOf(name: string, given: Partial<Service> = {}): Service {
  return {
    name,
    container_name: null,
    image: `${name}:1`,
    ports: [],
    expose: [],
    depends_on: [],
    labels: {},
    network_mode: null,
    other: {},
    ...given,
  };
}

export function blueprintOf(...services: readonly Service[]): Blueprint {
  return { kind: 'compose', services };
}

/** A running container as compose makes one for a service; its name is no guess from project and service. */
export function containerOf(options: {
  readonly service: string;
  readonly project?: string;
  readonly number?: number;
  readonly given?: Partial<ContainerState>;
}): ContainerState {
  const { service, project = 'shop', number = 1, given = {} } = options;
  const id = `${project}${service}${number}x`.padEnd(64, '0');
  return {
    id,
    name: `c-${service}-${number}`,
    image: `${service}:1`,
    labels: {
      'com.docker.compose.project': project,
      'com.docker.compose.service': service,
      'com.docker.compose.container-number': String(number),
      'com.docker.compose.oneoff': 'False',
    },
    startedAt: '2026-01-01T00:00:00.000000001Z',
    running: true,
    paused: false,
    health: 'none',
    pid: 100 + number,
    netns: null,
    restartCount: 0,
    autoRemove: false,
    networkMode: 'default',
    networks: {},
    ports: [],
    ...given,
  };
}
