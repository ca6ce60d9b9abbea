import type { Blueprint, Service } from '../model/blueprint.js';
import { dependentsByService, type ServiceLink, serviceLinks } from '../model/service-links.js';
import { networkOwnerOf, networksOf, replicasOf } from '../model/service-shape.js';
import type { LiveState, TopologyEdge, TopologyGraph, TopologyNode } from '../model/topology.js';
import { containerParts } from './graph-containers.js';
import { edge, node } from './graph-parts.js';
import { portText } from './port-text.js';

/**
 * The graph of a stack: its services and what they need from the document; its containers from the engine, or placeholders when
 * no engine was asked. Nodes and edges come in one order for one input. Pure.
 */
export function buildGraph(options: { readonly blueprint: Blueprint; readonly live: LiveState }): TopologyGraph {
  const { blueprint, live } = options;
  const links = serviceLinks(blueprint);
  const dependents = dependentsByService({ blueprint, links });
  const attached = new Map(blueprint.services.map((service) => [service.name, [...networksOf(service).keys()]]));
  // Whoever lives in another's network reaches others over that one's.
  const reach = new Map(
    blueprint.services.map((service) => [service.name, attached.get(networkOwnerOf(service) ?? service.name) ?? []]),
  );
  const host = hostNode(live);
  const containers = containerParts({ blueprint, live, attached, host: host.id });
  const networks = new Set([...attached.values()].flat());
  const outside = new Set(links.flatMap(({ to }) => (to.kind === 'external' ? [to.host] : [])));
  return {
    nodes: [
      host,
      ...blueprint.services.map((service) => serviceNode(service, dependents.get(service.name) ?? [])),
      ...containers.nodes,
      ...[...networks].sort().map((name) => node({ id: `net-${name}`, kind: 'network', name })),
      ...[...outside].sort().map((name) => node({ id: `ext-${name}`, kind: 'external_dependency', name })),
    ],
    edges: [
      ...links.map(dependency),
      ...links.flatMap((link) => reachedOver(link, reach)),
      ...blueprint.services.flatMap((service) => serviceEdges({ service, attached, host: host.id })),
      ...containers.edges,
    ],
  };
}

function hostNode(live: LiveState): TopologyNode {
  if (live.state === 'unproven')
    return { id: 'host-docker', kind: 'host', name: 'docker', placeholder: true, facts: {} };
  const { kind, version, id } = live.engine;
  return node({ id: `host-${kind}`, kind: 'host', name: kind, facts: { version, engine_id: id } });
}

function serviceNode(service: Service, dependents: readonly string[]): TopologyNode {
  return node({
    id: `svc-${service.name}`,
    kind: 'service',
    name: service.name,
    facts: {
      image: service.image,
      container_name: service.container_name,
      replicas: replicasOf(service),
      ports: service.ports.map(portText),
      expose: service.expose,
      dependents,
    },
  });
}

function dependency({ from, to, weight, variable }: ServiceLink): TopologyEdge {
  return edge({
    from: `svc-${from}`,
    to: to.kind === 'service' ? `svc-${to.name}` : `ext-${to.host}`,
    kind: 'depends_on',
    weight,
    inferred: variable !== null,
    detail: variable,
  });
}

/** The networks both ends are on. */
function reachedOver(
  { from, to }: ServiceLink,
  reach: ReadonlyMap<string, readonly string[]>,
): readonly TopologyEdge[] {
  if (to.kind === 'external') return [];
  const there = reach.get(to.name) ?? [];
  const shared = (reach.get(from) ?? []).filter((network) => there.includes(network));
  return shared.map((network) =>
    edge({ from: `svc-${from}`, to: `net-${network}`, kind: 'connects_via', detail: `svc-${to.name}` }),
  );
}

function serviceEdges(options: {
  readonly service: Service;
  readonly attached: ReadonlyMap<string, readonly string[]>;
  readonly host: string;
}): readonly TopologyEdge[] {
  const { attached, host, service } = options;
  const from = `svc-${service.name}`;
  const owner = networkOwnerOf(service);
  return [
    ...(attached.get(service.name) ?? []).map((name) => edge({ from, to: `net-${name}`, kind: 'attached_to' })),
    ...(owner === null ? [] : [edge({ from, to: `svc-${owner}`, kind: 'shares_network_with' })]),
    ...service.ports.map((port) => edge({ from, to: host, kind: 'exposes', detail: portText(port) })),
  ];
}
