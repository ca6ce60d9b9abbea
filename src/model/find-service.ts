import type { Blueprint, Service } from './blueprint.js';
import { nearest } from './nearest.js';

const MOST_LISTED = 30;

/** Looks services up by the names users write: container_name first, else the service's own name. Names match whole. */
export class ServiceIndex {
  readonly #byContainerName = new Map<string, Service>();
  readonly #byName = new Map<string, Service>();

  constructor(blueprint: Blueprint) {
    for (const service of blueprint.services) {
      this.#byName.set(service.name, service);
      if (service.container_name !== null) this.#byContainerName.set(service.container_name, service);
    }
  }

  find(name: string): Service | null {
    return this.#byContainerName.get(name) ?? this.#byName.get(name) ?? null;
  }

  /** Every name that finds a service, sorted. */
  names(): readonly string[] {
    return [...new Set([...this.#byContainerName.keys(), ...this.#byName.keys()])].sort();
  }

  /** Why a name finds nothing, and what it may have meant. */
  missing(name: string): { readonly message: string; readonly hint: string } {
    const names = this.names();
    const listed = names.slice(0, MOST_LISTED).join(', ');
    const rest = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '';
    const near = nearest({ word: name, candidates: names });
    return {
      message: `the stack has no container or service "${name}" (available: ${names.length === 0 ? '<none>' : listed + rest})`,
      hint: near === null ? 'name a container_name or a service of the compose file' : `did you mean "${near}"?`,
    };
  }
}
