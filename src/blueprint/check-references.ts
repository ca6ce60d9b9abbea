import { nearest } from '../model/nearest.js';
import { childOf } from '../source/yaml-node.js';
import type { ComposeReader } from './compose-reader.js';
import type { ReadService } from './read-service.js';

/** Checks what services say of each other: dependencies that exist and run in no circle, container names given once. */
export function checkReferences(options: {
  readonly reader: ComposeReader;
  readonly services: readonly ReadService[];
}): void {
  const { reader, services } = options;
  const names = new Set(services.map(({ service }) => service.name));
  const nodes = new Map(services.map((read) => [read.service.name, read]));
  const containers = new Map<string, string>();
  for (const { service, node } of services) {
    const dependsOn = childOf(node, 'depends_on') ?? node;
    for (const { service: needed } of service.depends_on) {
      if (names.has(needed)) continue;
      const entry =
        dependsOn.kind === 'list' ? dependsOn.items.find((i) => i.kind === 'scalar' && i.value === needed) : null;
      const near = nearest({ word: needed, candidates: names });
      const message = `service "${service.name}" depends on "${needed}", which does not exist`;
      reader.fail(entry ?? dependsOn, message, near === null ? {} : { hint: `did you mean "${near}"?` });
    }
    const shared = /^service:(.*)$/.exec(service.network_mode ?? '')?.[1];
    if (shared !== undefined && !names.has(shared)) {
      const message = `service "${service.name}" shares the network of "${shared}", which does not exist`;
      reader.fail(childOf(node, 'network_mode') ?? node, message);
    }
    if (service.container_name === null) continue;
    const other = containers.get(service.container_name);
    if (other !== undefined) {
      const message = `services "${other}" and "${service.name}" have the same container_name "${service.container_name}"`;
      reader.fail(childOf(node, 'container_name') ?? node, message);
    }
    containers.set(service.container_name, service.name);
  }
  const circle = findCircle(services);
  if (circle === null) return;
  const first = nodes.get(circle[0] as string);
  if (first === undefined) return;
  reader.fail(childOf(first.node, 'depends_on') ?? first.node, `depends_on runs in a circle: ${circleText(circle)}`);
}

/** A long circle is told by its ends. */
function circleText(circle: readonly string[]): string {
  if (circle.length <= 12) return circle.join(' -> ');
  return [...circle.slice(0, 6), `(${circle.length - 12} more)`, ...circle.slice(-6)].join(' -> ');
}

/** A circle of dependencies as the names on it, the first repeated at the end; null when there is none. */
function findCircle(services: readonly ReadService[]): readonly string[] | null {
  const edges = new Map(
    services.map(({ service }) => [service.name, service.depends_on.map((dependency) => dependency.service)]),
  );
  const done = new Set<string>();
  for (const start of edges.keys()) {
    // A walk with its own stack: a chain of dependencies may be longer than the call stack is deep.
    const path: { readonly name: string; next: number }[] = [{ name: start, next: 0 }];
    const onPath = new Set([start]);
    while (path.length > 0 && !done.has(start)) {
      const top = path.at(-1) as { readonly name: string; next: number };
      const needed = edges.get(top.name)?.[top.next];
      top.next += 1;
      if (needed === undefined) {
        done.add(top.name);
        onPath.delete(top.name);
        path.pop();
      } else if (onPath.has(needed)) {
        const names = path.map((step) => step.name);
        return [...names.slice(names.indexOf(needed)), needed];
      } else if (!done.has(needed)) {
        path.push({ name: needed, next: 0 });
        onPath.add(needed);
      }
    }
  }
  return null;
}
