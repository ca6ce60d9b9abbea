import type { Dependency, PortBinding, Service } from '../model/blueprint.js';
import type { Json } from '../model/json.js';
import { childOf, type YamlMap, type YamlNode } from '../source/yaml-node.js';
import type { ComposeReader, KeyPath } from './compose-reader.js';
import { parsePortRange, parseShortPort, readLongPort } from './ports.js';

const CONDITIONS = ['service_started', 'service_healthy', 'service_completed_successfully'] as const;
/** Keys that get members of their own; the others go into `other` as they are. */
const TYPED = ['container_name', 'image', 'ports', 'expose', 'depends_on', 'labels', 'network_mode'];

/** A service with the nodes its references were read from, for errors about them. */
export interface ReadService {
  readonly service: Service;
  readonly node: YamlMap;
}

/** Reads one service of a compose file; what is wrong with it goes to the reader's errors. */
export function readService(options: {
  readonly reader: ComposeReader;
  readonly name: string;
  readonly node: YamlMap;
}): ReadService {
  const { reader, name, node } = options;
  const path = `services.${name}`;
  const at = (key: string) => childOf(node, key);
  refuseUnbuilt({ reader, node, path });

  const containerName = reader.text(at('container_name'), `${path}.container_name`);
  if (containerName !== null && !/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(containerName)) {
    reader.fail(at('container_name') ?? node, `${path}.container_name: "${containerName}" is no container name`);
  }
  const other: { [key: string]: Json } = {};
  for (const [key, entry] of node.entries) {
    if (!TYPED.includes(key) && !key.startsWith('x-')) other[key] = reader.json(entry.value, `${path}.${key}`);
  }
  const networkMode = reader.text(at('network_mode'), `${path}.network_mode`);
  if (networkMode !== null && at('networks') !== null) {
    reader.fail(at('networks') ?? node, `${path}: network_mode and networks exclude each other`);
  }
  const service: Service = {
    name,
    container_name: containerName,
    image: reader.text(at('image'), `${path}.image`),
    ports: readPorts({ reader, node: at('ports'), path: `${path}.ports` }),
    expose: readExpose({ reader, node: at('expose'), path: `${path}.expose` }),
    depends_on: readDependencies({ reader, node: at('depends_on'), path: `${path}.depends_on` }),
    labels: readLabels({ reader, node: at('labels'), path: `${path}.labels` }),
    network_mode: networkMode,
    other,
  };
  return { service, node };
}

interface Part {
  readonly reader: ComposeReader;
  readonly node: YamlNode | null;
  readonly path: KeyPath;
}

/** What would change which containers a service stands for, or what it is made of, and is not built: refused, never ignored. */
function refuseUnbuilt(options: {
  readonly reader: ComposeReader;
  readonly node: YamlMap;
  readonly path: KeyPath;
}): void {
  const { reader, node, path } = options;
  for (const key of ['extends', 'profiles']) {
    const entry = node.entries.get(key);
    if (entry !== undefined) reader.unsupported(entry.value, `${path}.${key}`);
  }
  const counts = { scale: childOf(node, 'scale'), 'deploy.replicas': childOf(childOf(node, 'deploy'), 'replicas') };
  for (const [key, count] of Object.entries(counts)) {
    const replicas = reader.integer(count, `${path}.${key}`);
    if (count !== null && replicas !== null && replicas !== 1) reader.unsupported(count, `${path}.${key} ${replicas}`);
  }
}

function readPorts({ reader, node, path }: Part): readonly PortBinding[] {
  return reader.list(node, path).flatMap((item, index) => {
    const here = `${path}[${index}]`;
    const read =
      item.kind === 'map' ? readLong({ reader, item, path: here }) : parseShortPort(reader.text(item, here) ?? '');
    if (read === null) return [];
    if (read.ok) return read.ports;
    reader.fail(item, `${here}: ${read.problem}`);
    return [];
  });
}

function readLong(options: { readonly reader: ComposeReader; readonly item: YamlMap; readonly path: KeyPath }) {
  const { reader, item, path } = options;
  const at = (key: string) => reader.text(childOf(item, key), `${path}.${key}`);
  const target = at('target');
  if (target === null) {
    reader.fail(item, `${path}: target is required`);
    return null;
  }
  return readLongPort({ target, published: at('published'), hostIp: at('host_ip'), protocol: at('protocol') ?? 'tcp' });
}

function readExpose({ reader, node, path }: Part): readonly number[] {
  return reader.list(node, path).flatMap((item, index) => {
    const text = reader.text(item, `${path}[${index}]`) ?? '';
    const ports = parsePortRange(text);
    if (ports === null) reader.fail(item, `${path}[${index}]: "${text}" is no port from 1 to 65535`);
    return ports ?? [];
  });
}

/** Dependencies sorted by service: neither a list's nor a map's order means anything. */
function readDependencies({ reader, node, path }: Part): readonly Dependency[] {
  if (node === null) return [];
  const found: Dependency[] = [];
  if (node.kind === 'list') {
    node.items.forEach((item, index) => {
      const service = reader.text(item, `${path}[${index}]`);
      if (service !== null) found.push({ service, condition: 'service_started' });
    });
  } else {
    for (const [service, entry] of reader.map(node, path)?.entries ?? []) {
      const here = `${path}.${service}`;
      const given = reader.text(childOf(reader.map(entry.value, here), 'condition'), `${here}.condition`);
      const condition = given === null ? 'service_started' : CONDITIONS.find((known) => known === given);
      if (condition === undefined) {
        reader.fail(entry.value, `${here}: the condition "${given}" is none of ${CONDITIONS.join(', ')}`);
      } else found.push({ service, condition });
    }
  }
  return found.sort((a, b) => (a.service < b.service ? -1 : 1));
}

function readLabels({ reader, node, path }: Part): { readonly [key: string]: string } {
  const labels: { [key: string]: string } = {};
  if (node?.kind === 'list') {
    node.items.forEach((item, index) => {
      const text = reader.text(item, `${path}[${index}]`) ?? '';
      const equals = text.indexOf('=');
      if (equals === -1) labels[text] = '';
      else labels[text.slice(0, equals)] = text.slice(equals + 1);
    });
    return labels;
  }
  for (const [key, entry] of reader.map(node, path)?.entries ?? []) {
    labels[key] = reader.text(entry.value, `${path}.${key}`) ?? '';
  }
  return labels;
}
