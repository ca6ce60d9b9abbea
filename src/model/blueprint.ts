import type { JsonObject } from './json.js';

export interface PortBinding {
  readonly container_port: number;
  readonly protocol: 'tcp' | 'udp';
  /** null: chosen by the engine. */
  readonly host_port: number | null;
  readonly host_ip: string | null;
  /** `5600-5610`: the engine chooses the host port from this range. */
  readonly host_port_range?: string;
}

export interface Dependency {
  readonly service: string;
  readonly condition: 'service_started' | 'service_healthy' | 'service_completed_successfully';
}

/** A service of a compose file after interpolation: what targeting needs, typed; the rest opaque, for the digest only. */
export interface Service {
  readonly name: string;
  readonly container_name: string | null;
  readonly image: string | null;
  readonly ports: readonly PortBinding[];
  /** Ports reachable inside the stack only (`expose`). */
  readonly expose: readonly number[];
  readonly depends_on: readonly Dependency[];
  readonly labels: { readonly [key: string]: string };
  readonly network_mode: string | null;
  /** Every other key of the service, interpolated. */
  readonly other: JsonObject;
}

/** A stack as its document describes it. The project's name and the folder are not part of it: they do not change a plan. */
export interface Blueprint {
  readonly kind: 'compose';
  readonly services: readonly Service[];
}

/** A blueprint with where it came from. */
export interface LoadedBlueprint {
  readonly blueprint: Blueprint;
  /** Compose project name: `name:` of the file, COMPOSE_PROJECT_NAME, or the folder's. */
  readonly project: string;
  readonly files: readonly string[];
}
