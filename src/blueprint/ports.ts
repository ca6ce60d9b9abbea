import type { PortBinding } from '../model/blueprint.js';

export type PortsRead =
  | { readonly ok: true; readonly ports: readonly PortBinding[] }
  | { readonly ok: false; readonly problem: string };

interface Range {
  readonly first: number;
  readonly last: number;
}

/** Reads `[[host_ip:][host]:]container[/protocol]`, where host and container may be ranges (Compose Specification, "ports", short syntax). */
export function parseShortPort(text: string): PortsRead {
  const slash = text.lastIndexOf('/');
  const protocol = slash === -1 ? 'tcp' : text.slice(slash + 1).toLowerCase();
  const address = slash === -1 ? text : text.slice(0, slash);
  const bracketed = /^\[([^\]]+)\]:(.*)$/.exec(address);
  const parts = (bracketed?.[2] ?? address).split(':');
  const container = parts.pop() as string;
  const host = parts.pop() ?? null;
  const hostIp = bracketed?.[1] ?? (parts.length > 0 ? parts.join(':') : null);
  return bindings({ container, host: host === '' ? null : host, hostIp, protocol, text });
}

/** Reads the parts of the long syntax, each as text. */
export function readLongPort(options: {
  readonly target: string;
  readonly published: string | null;
  readonly hostIp: string | null;
  readonly protocol: string;
}): PortsRead {
  const { target, published, hostIp, protocol } = options;
  const text = `${published ?? ''}:${target}/${protocol}`;
  return bindings({ container: target, host: published === '' ? null : published, hostIp, protocol, text });
}

/** Reads a port or a range of ports, `7000` or `7000-7002`, the protocol after a slash ignored; null when it is neither. */
export function parsePortRange(text: string): readonly number[] | null {
  const range = rangeOf(text.replace(/\/(tcp|udp|sctp)$/i, ''));
  return range === null || range.first === 0 ? null : numbers(range);
}

function bindings(options: {
  readonly container: string;
  readonly host: string | null;
  readonly hostIp: string | null;
  readonly protocol: string;
  readonly text: string;
}): PortsRead {
  const { protocol, text, hostIp } = options;
  if (protocol !== 'tcp' && protocol !== 'udp') {
    return { ok: false, problem: `the protocol "${protocol}" of port "${text}" is none of tcp and udp` };
  }
  const container = rangeOf(options.container);
  const host = options.host === null ? null : rangeOf(options.host);
  if (container === null || container.first === 0)
    return { ok: false, problem: `"${text}" names no container port from 1 to 65535` };
  if (options.host !== null && host === null)
    return { ok: false, problem: `"${text}" has the host port "${options.host}"` };

  const ports = numbers(container);
  const base = { protocol, host_ip: hostIp } as const;
  if (host === null || host.last === 0) {
    return { ok: true, ports: ports.map((port) => ({ container_port: port, ...base, host_port: null })) };
  }
  const width = host.last - host.first + 1;
  if (ports.length === 1 && width > 1) {
    // One container port and a range on the host: the engine takes a free one of the range.
    const range = `${host.first}-${host.last}`;
    return {
      ok: true,
      ports: [{ container_port: ports[0] as number, ...base, host_port: null, host_port_range: range }],
    };
  }
  if (width !== ports.length)
    return { ok: false, problem: `the ranges of "${text}" differ in length: ${width} and ${ports.length}` };
  return {
    ok: true,
    ports: ports.map((port, index) => ({ container_port: port, ...base, host_port: host.first + index })),
  };
}

function rangeOf(text: string): Range | null {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (match === null) return null;
  const first = Number(match[1]);
  const last = Number(match[2] ?? match[1]);
  return last < first || last > 65_535 || (first === 0 && last > 0) ? null : { first, last };
}

function numbers({ first, last }: Range): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
