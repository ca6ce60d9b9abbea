import type { PortBinding } from './blueprint.js';
import type { JsonObject } from './json.js';

/** Kinds of node. Those of Kubernetes come from manifests and clusters. */
export type NodeKind =
  | 'host'
  | 'service'
  | 'container'
  | 'process'
  | 'network'
  | 'external_dependency'
  | 'pod'
  | 'k8s_node';

/** One thing of a stack. Ids: `svc-<name>`, `ctr-<short id>`, `ext-<host>`, `net-<name>`, `host-<engine>`, `proc-<short id>-<pid>`. */
export interface TopologyNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  /** True for a container that the document asks for and no engine was asked about. */
  readonly placeholder: boolean;
  /** What is known of it, by kind: image, ports, state, dependents … */
  readonly facts: JsonObject;
}

/**
 * - `depends_on`: service → service or external dependency
 * - `contained_in`: container → service, process → container
 * - `runs_on`: container → host
 * - `attached_to`: service → network
 * - `connects_via`: service → the network it reaches a dependency over
 * - `exposes`: service → host, a published port
 * - `listens_on`: container → network, a port of the container
 * - `shares_network_with`: service → the service in whose network it lives
 */
export type EdgeKind =
  | 'depends_on'
  | 'runs_on'
  | 'connects_via'
  | 'exposes'
  | 'contained_in'
  | 'listens_on'
  | 'attached_to'
  | 'shares_network_with';

export interface TopologyEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** 2 for a dependency that is waited for until it is healthy, else 1. */
  readonly weight: 1 | 2;
  /** True: read from an environment variable, not declared. */
  readonly inferred: boolean;
  /** The variable, the port, or the dependency reached. */
  readonly detail: string | null;
}

export interface TopologyGraph {
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
}

/** One container of a stack, as the engine tells it. */
export interface LiveContainer {
  readonly id: string;
  readonly short_id: string;
  readonly name: string;
  readonly service: string;
  /** Compose's number of the replica; 0 where no label says it. */
  readonly number: number;
  /** False: its service is not in the document any more. */
  readonly declared: boolean;
  readonly image: string;
  readonly state: 'running' | 'paused' | 'stopped';
  readonly health: 'none' | 'starting' | 'healthy' | 'unhealthy';
  readonly started_at: string;
  readonly pid: number;
  readonly auto_remove: boolean;
  /** Published ports as they were asked for when it was made. */
  readonly ports: readonly PortBinding[];
  /** Addresses by network, IPv4 first. */
  readonly networks: { readonly [network: string]: readonly string[] };
}

/** What runs of a stack, or why that could not be learned. */
export type LiveState =
  | {
      readonly state: 'proven';
      readonly engine: { readonly kind: string; readonly version: string; readonly id: string | null };
      readonly project: string;
      /** Other projects that have containers of services of these names, sorted. */
      readonly elsewhere: readonly string[];
      readonly containers: readonly LiveContainer[];
    }
  | { readonly state: 'unproven'; readonly reason: string };

/**
 * One difference between document and engine: a service without a container, a container without a service, another number of
 * replicas, a container that is not running, another image, other published ports.
 */
export interface DriftItem {
  readonly kind: 'missing' | 'extra' | 'replicas' | 'stopped' | 'image' | 'ports';
  readonly service: string;
  /** null: it is about the service as a whole. */
  readonly container: string | null;
  readonly declared: string | null;
  readonly running: string | null;
}

export type Drift =
  | { readonly state: 'proven'; readonly items: readonly DriftItem[] }
  | { readonly state: 'unproven'; readonly reason: string };

/** A difference in one sentence. */
export function driftText(item: DriftItem): string {
  const { container, declared, kind, running, service } = item;
  switch (kind) {
    case 'missing':
      return `${service} has no container`;
    case 'extra':
      return `${container} runs for ${service}, which the document does not have`;
    case 'replicas':
      return `${service} has ${running} containers, the document says ${declared}`;
    case 'stopped':
      return `${container} of ${service} is not running`;
    case 'image':
      return `${container} of ${service} runs ${running}, the document says ${declared}`;
    case 'ports':
      return `${container} of ${service} publishes ${running}, the document says ${declared}`;
  }
}
