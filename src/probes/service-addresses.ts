import type { ContainerState } from '../engines/engine.js';

/** The address to use for a host name: of a service of the stack, its container's; null: the name as it stands. */
export type ResolveHost = (name: string) => Promise<string | null>;

const KEEP_MS = 2_000;

export interface ServiceAddressesOptions {
  readonly services: readonly string[];
  readonly containersOf: (service: string) => Promise<readonly ContainerState[]>;
  readonly nowMs: () => number;
}

/**
 * Reaches services of the stack from the engine's host by their containers' addresses, needing no tool in any image. An address is
 * kept for two seconds: a container that was restarted has another one.
 */
export function serviceAddresses(options: ServiceAddressesOptions): ResolveHost {
  const known = new Map<string, { readonly address: string; readonly untilMs: number }>();
  const services = new Set(options.services);
  return async (name) => {
    if (!services.has(name)) return null;
    const cached = known.get(name);
    if (cached && cached.untilMs > options.nowMs()) return cached.address;
    const containers = await options.containersOf(name);
    const address = containers
      .filter((container) => container.running)
      .flatMap((container) => Object.values(container.networks).flat())[0];
    if (address === undefined) throw new Error(`no running container of service ${name} has an address`);
    known.set(name, { address, untilMs: options.nowMs() + KEEP_MS });
    return address;
  };
}
