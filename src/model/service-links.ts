import type { Blueprint, Service } from './blueprint.js';
import { hostsOf } from './environment-hosts.js';
import { environmentOf, hostnameOf, linksOf, networkOwnerOf, networksOf, volumesFromOf } from './service-shape.js';

/** One service needing another, or something outside of the stack. */
export interface ServiceLink {
  readonly from: string;
  readonly to:
    | { readonly kind: 'service'; readonly name: string }
    | { readonly kind: 'external'; readonly host: string };
  readonly weight: 1 | 2;
  /** The environment variable it was read from; null: the document declares it. */
  readonly variable: string | null;
}

/**
 * Who needs whom in a stack, each pair once: what the document declares (`depends_on`, `links`, `volumes_from`, a shared network)
 * first, else what environment variables point at. A host that is no service of the stack is outside of it. In order of services.
 */
export function serviceLinks(blueprint: Blueprint): readonly ServiceLink[] {
  const names = namesOf(blueprint);
  const known = new Set(blueprint.services.map((service) => service.name));
  return blueprint.services.flatMap((service) => {
    const found = new Map<string, ServiceLink>();
    const add = (link: ServiceLink): void => {
      const key = link.to.kind === 'service' ? `svc ${link.to.name}` : `ext ${link.to.host}`;
      const itself = link.to.kind === 'service' && link.to.name === service.name;
      if (!itself && !found.has(key)) found.set(key, link);
    };
    for (const { name, weight } of declaredBy(service)) {
      if (known.has(name)) add({ from: service.name, to: { kind: 'service', name }, weight, variable: null });
    }
    for (const [variable, value] of environmentOf(service)) {
      for (const host of hostsOf({ name: variable, value })) {
        const alias = linksOf(service).find(([, known]) => known.toLowerCase() === host)?.[0];
        const services = alias === undefined ? (names.get(host) ?? []) : [alias];
        for (const name of services) add({ from: service.name, to: { kind: 'service', name }, weight: 1, variable });
        if (services.length === 0) add({ from: service.name, to: { kind: 'external', host }, weight: 1, variable });
      }
    }
    return [...found.values()];
  });
}

/** For each service, every other that needs it, directly or through others; sorted. */
export function dependentsByService(options: {
  readonly blueprint: Blueprint;
  readonly links: readonly ServiceLink[];
}): ReadonlyMap<string, readonly string[]> {
  const direct = new Map<string, string[]>();
  for (const { from, to } of options.links) {
    if (to.kind === 'service') direct.set(to.name, [...(direct.get(to.name) ?? []), from]);
  }
  return new Map(
    options.blueprint.services.map(({ name }) => {
      const seen = new Set<string>([name]);
      const ahead = [name];
      for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
        for (const dependent of direct.get(next) ?? []) {
          if (seen.has(dependent)) continue;
          seen.add(dependent);
          ahead.push(dependent);
        }
      }
      seen.delete(name);
      return [name, [...seen].sort()];
    }),
  );
}

function declaredBy(service: Service): readonly { readonly name: string; readonly weight: 1 | 2 }[] {
  const owner = networkOwnerOf(service);
  const implied = [...linksOf(service).map(([name]) => name), ...volumesFromOf(service), ...(owner ? [owner] : [])];
  return [
    ...service.depends_on.map(({ service: name, condition }) => ({
      name,
      weight: condition === 'service_healthy' ? (2 as const) : (1 as const),
    })),
    ...implied.map((name) => ({ name, weight: 1 as const })),
  ];
}

/** Services by every name that finds them inside of the stack: their own, container_name, hostname, aliases. */
function namesOf(blueprint: Blueprint): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const service of blueprint.services) {
    const aliases = [...networksOf(service).values()].flat();
    const all = [service.name, service.container_name, hostnameOf(service), ...aliases];
    for (const name of new Set(all.flatMap((one) => (one === null ? [] : [one.toLowerCase()])))) {
      const before = names.get(name);
      if (before === undefined) names.set(name, [service.name]);
      else before.push(service.name);
    }
  }
  return names;
}
