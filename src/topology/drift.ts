import type { Blueprint, PortBinding, Service } from '../model/blueprint.js';
import { replicasOf } from '../model/service-shape.js';
import type { Drift, DriftItem, LiveContainer, LiveState } from '../model/topology.js';
import { portText } from './port-text.js';

/** How what runs differs from what the document says: in the order of services, then of containers. Pure. */
export function driftOf(options: { readonly blueprint: Blueprint; readonly live: LiveState }): Drift {
  const { blueprint, live } = options;
  if (live.state === 'unproven') return live;
  const ends = endingServices(blueprint);
  const byService = new Map<string, LiveContainer[]>();
  for (const container of live.containers) {
    byService.set(container.service, [...(byService.get(container.service) ?? []), container]);
  }
  const ofServices = blueprint.services.flatMap((service) =>
    serviceDrift({ service, containers: byService.get(service.name) ?? [], ends: ends.has(service.name) }),
  );
  const extra = live.containers
    .filter((container) => !container.declared)
    .map((container) => itemOf('extra', container, { running: container.image }));
  return { state: 'proven', items: [...ofServices, ...extra] };
}

/** Services that others wait for to complete: that they have ended is as it should be. */
function endingServices(blueprint: Blueprint): ReadonlySet<string> {
  const all = blueprint.services.flatMap((service) => service.depends_on);
  return new Set(
    all.flatMap(({ service, condition }) => (condition === 'service_completed_successfully' ? [service] : [])),
  );
}

function serviceDrift(options: {
  readonly service: Service;
  readonly containers: readonly LiveContainer[];
  readonly ends: boolean;
}): readonly DriftItem[] {
  const { containers, ends, service } = options;
  const wanted = replicasOf(service);
  const whole = {
    service: service.name,
    container: null,
    declared: String(wanted),
    running: String(containers.length),
  };
  if (containers.length === 0) return wanted === 0 ? [] : [{ kind: 'missing', ...whole }];
  return [
    ...(containers.length === wanted ? [] : [{ kind: 'replicas', ...whole } as const]),
    ...containers.flatMap((container) => [
      ...(container.state === 'stopped' && !ends
        ? [itemOf('stopped', container, { declared: 'running', running: 'stopped' })]
        : []),
      ...imageDrift(service, container),
      ...portDrift(service, container),
    ]),
  ];
}

/** A service that is only built has no image to compare with: compose names it. */
function imageDrift({ image }: Service, container: LiveContainer): readonly DriftItem[] {
  if (image === null || fullImageName(image) === fullImageName(container.image)) return [];
  return [itemOf('image', container, { declared: image, running: container.image })];
}

function portDrift(service: Service, container: LiveContainer): readonly DriftItem[] {
  // Its ports are the host's, or those of the container whose network it shares.
  if (service.network_mode !== null && /^(host$|none$|service:|container:)/.test(service.network_mode)) return [];
  const declared = portTexts(service.ports);
  const running = portTexts(container.ports);
  return declared === running ? [] : [itemOf('ports', container, { declared, running })];
}

function portTexts(ports: readonly PortBinding[]): string {
  return ports.length === 0 ? 'nothing' : [...new Set(ports.map(portText))].sort().join(', ');
}

function itemOf(kind: DriftItem['kind'], container: LiveContainer, differ: Partial<DriftItem>): DriftItem {
  return { kind, service: container.service, container: container.name, declared: null, running: null, ...differ };
}

/** `nginx`, `library/nginx:latest` and `docker.io/library/nginx` are one image: the name as Docker completes it. */
function fullImageName(name: string): string {
  const short = name.replace(/^(index\.)?docker\.io\//, '').replace(/^library\//, '');
  const last = short.slice(short.lastIndexOf('/') + 1);
  return /[:@]/.test(last) ? short : `${short}:latest`;
}
