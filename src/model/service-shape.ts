import type { Service } from './blueprint.js';
import type { Json } from './json.js';

/** A service's environment: a map or a list of `NAME=value`. Variables without a value are left out. */
export function environmentOf(service: Service): readonly (readonly [name: string, value: string])[] {
  const given = service.other['environment'];
  if (Array.isArray(given)) {
    return given.flatMap((item: Json) => {
      if (typeof item !== 'string') return [];
      const equals = item.indexOf('=');
      return equals > 0 ? [[item.slice(0, equals), item.slice(equals + 1)] as const] : [];
    });
  }
  return entriesOf(given).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : [[name, String(value)] as const],
  );
}

/** Networks a service is attached to, with its aliases there. One that names none is on `default`, unless its network is another's. */
export function networksOf(service: Service): ReadonlyMap<string, readonly string[]> {
  const given = service.other['networks'];
  if (service.network_mode !== null) return new Map();
  if (Array.isArray(given)) {
    const names = given.filter((name: Json): name is string => typeof name === 'string');
    if (names.length > 0) return new Map(names.map((name) => [name, []]));
  }
  const entries = Array.isArray(given) ? [] : entriesOf(given);
  if (entries.length === 0) return new Map([['default', []]]);
  return new Map(entries.map(([name, network]) => [name, textsOf(entriesOf(network).find(isAliases)?.[1])]));
}

/** How many containers a service is to have: `scale`, else `deploy.replicas`, else 1. */
export function replicasOf(service: Service): number {
  const deploy = entriesOf(service.other['deploy']).find(([key]) => key === 'replicas')?.[1];
  for (const given of [service.other['scale'], deploy]) {
    const count = typeof given === 'string' && given !== '' ? Number(given) : given;
    if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count;
  }
  return 1;
}

/** The service in whose network this one lives (`network_mode: service:NAME`); null: it has a network of its own, or the host's. */
export function networkOwnerOf(service: Service): string | null {
  return /^service:(.+)$/.exec(service.network_mode ?? '')?.[1] ?? null;
}

/** `links` as [service, the name it is known by]; both are the same where no alias is given. */
export function linksOf(service: Service): readonly (readonly [service: string, alias: string])[] {
  return textsOf(service.other['links']).map((text) => {
    const colon = text.indexOf(':');
    return colon === -1 ? [text, text] : [text.slice(0, colon), text.slice(colon + 1)];
  });
}

/** Services whose volumes this one uses (`volumes_from`). */
export function volumesFromOf(service: Service): readonly string[] {
  return textsOf(service.other['volumes_from'])
    .filter((text) => !text.startsWith('container:'))
    .map((text) => text.replace(/:(ro|rw)$/, ''));
}

/** The host name a service is given inside of its network. */
export function hostnameOf(service: Service): string | null {
  const given = service.other['hostname'];
  return typeof given === 'string' && given !== '' ? given : null;
}

function isAliases([key]: readonly [string, Json]): boolean {
  return key === 'aliases';
}

function entriesOf(value: Json | undefined): readonly (readonly [string, Json])[] {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
}

function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item: Json): item is string => typeof item === 'string') : [];
}
