import type { Blueprint, Service } from '../model/blueprint.js';
import { replicasOf } from '../model/service-shape.js';
import type { LiveContainer, LiveState, TopologyEdge, TopologyNode } from '../model/topology.js';
import { edge, node } from './graph-parts.js';
import { portText } from './port-text.js';

interface Parts {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
}

interface ContainerOptions {
  readonly blueprint: Blueprint;
  /** Networks by service. */
  readonly attached: ReadonlyMap<string, readonly string[]>;
  readonly host: string;
}

/** Containers, their main processes and where both belong: live ones, or placeholders when no engine was asked. */
export function containerParts(options: ContainerOptions & { readonly live: LiveState }): Parts {
  const { blueprint, live } = options;
  const services = new Map(blueprint.services.map((service) => [service.name, service]));
  const parts =
    live.state === 'proven'
      ? live.containers.map((container) => liveParts(container, services.get(container.service), options))
      : blueprint.services.flatMap((service) => placeholderParts(service, options));
  return { nodes: parts.flatMap(({ nodes }) => nodes), edges: parts.flatMap(({ edges }) => edges) };
}

function liveParts(container: LiveContainer, service: Service | undefined, options: ContainerOptions): Parts {
  const id = `ctr-${container.short_id}`;
  const main = `proc-${container.short_id}-${container.pid}`;
  const runs = container.state !== 'stopped' && container.pid > 0;
  const shown = node({
    id,
    kind: 'container',
    name: container.name,
    facts: {
      service: container.service,
      number: container.number,
      image: container.image,
      state: container.state,
      health: container.health,
      started_at: container.started_at,
      ports: container.ports.map(portText),
      networks: container.networks,
      auto_remove: container.auto_remove,
    },
  });
  return {
    nodes: runs
      ? [shown, node({ id: main, kind: 'process', name: `pid ${container.pid}`, facts: { pid: container.pid } })]
      : [shown],
    edges: [...placed({ id, service, options }), ...(runs ? [edge({ from: main, to: id, kind: 'contained_in' })] : [])],
  };
}

function placeholderParts(service: Service, options: ContainerOptions): readonly Parts[] {
  return Array.from({ length: replicasOf(service) }, (_, index) => {
    const number = index + 1;
    const id = `ctr-${service.name}-${number}`;
    return {
      nodes: [
        node({
          id,
          kind: 'container',
          // What an engine will call it is not known before it does.
          name: service.container_name ?? `${service.name} #${number}`,
          placeholder: true,
          facts: { service: service.name, number, image: service.image },
        }),
      ],
      edges: placed({ id, service, options }),
    };
  });
}

function placed(of: {
  readonly id: string;
  readonly service: Service | undefined;
  readonly options: ContainerOptions;
}): readonly TopologyEdge[] {
  const { id, options, service } = of;
  const runsOn = edge({ from: id, to: options.host, kind: 'runs_on' });
  if (service === undefined) return [runsOn];
  const ports = [
    ...service.ports.map((port) => `${port.container_port}/${port.protocol}`),
    ...service.expose.map((port) => `${port}/tcp`),
  ];
  return [
    edge({ from: id, to: `svc-${service.name}`, kind: 'contained_in' }),
    runsOn,
    ...(options.attached.get(service.name) ?? []).flatMap((network) =>
      [...new Set(ports)].map((port) => edge({ from: id, to: `net-${network}`, kind: 'listens_on', detail: port })),
    ),
  ];
}
