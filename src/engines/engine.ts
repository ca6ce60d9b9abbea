import type { PortBinding } from '../model/blueprint.js';

/** One container as the engine reports it now. */
export interface ContainerState {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly labels: { readonly [key: string]: string };
  /** RFC 3339 with nanoseconds: with the id, the identity of this incarnation. */
  readonly startedAt: string;
  readonly running: boolean;
  readonly paused: boolean;
  readonly health: 'none' | 'starting' | 'healthy' | 'unhealthy';
  /** Pid of the main process on the engine's host; 0 when not running. */
  readonly pid: number;
  /** Inode of its network namespace; null when it is not running, or not on this host. */
  readonly netns: string | null;
  readonly restartCount: number;
  readonly autoRemove: boolean;
  readonly networkMode: string;
  /** Addresses by network name, IPv4 first. */
  readonly networks: { readonly [network: string]: readonly string[] };
  /** Published ports as they were asked for when it was made, whether it runs or not. */
  readonly ports: readonly PortBinding[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Reading containers. */
export interface Containers {
  /** null: there is no such container. */
  inspect(idOrName: string, options?: CallOptions): Promise<ContainerState | null>;
  /** All containers, running or not, that carry all the labels given (`key` or `key=value`). */
  list(options: CallOptions & { readonly labels?: readonly string[] }): Promise<readonly ContainerState[]>;
}

/** Freezing and thawing. Both are idempotent: false says there was nothing to do, or no such container. */
export interface Pausing {
  pause(id: string, options?: CallOptions): Promise<boolean>;
  unpause(id: string, options?: CallOptions): Promise<boolean>;
}

/** A small labelled object on the engine itself that outlives our processes: mark and claim in one. */
export interface Mark {
  readonly name: string;
  readonly labels: { readonly [key: string]: string };
}
export interface Marks {
  /** Creates the mark unless one of that name exists; returns what is there afterwards: someone else's labels mean it was theirs. */
  place(mark: Mark, options?: CallOptions): Promise<Mark>;
  read(name: string, options?: CallOptions): Promise<Mark | null>;
  /** All marks that carry the label. */
  list(label: string, options?: CallOptions): Promise<readonly Mark[]>;
  /** Removing what is not there is no error. */
  remove(name: string, options?: CallOptions): Promise<void>;
}

/** A container engine, by the narrow interfaces its mechanisms ask for. */
export interface Engine {
  readonly kind: 'docker';
  /** True when the engine's processes are on this host, so that /proc and cgroups can be read beside it. */
  readonly local: boolean;
  readonly containers: Containers;
  readonly pausing: Pausing;
  readonly marks: Marks;
  version(options?: CallOptions): Promise<string>;
}
