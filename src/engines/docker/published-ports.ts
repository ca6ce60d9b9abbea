import type { PortBinding } from '../../model/blueprint.js';

/** One binding as Docker's API tells it: texts, empty or "0" where the engine chooses, "5600-5610" for a range. */
interface DockerBinding {
  readonly HostIp?: string;
  readonly HostPort?: string;
}

/**
 * `HostConfig.PortBindings` of a container (`{"80/tcp": [{"HostIp": "", "HostPort": "8080"}]}`), sorted by port. Other protocols than
 * tcp and udp are left out: nothing of ours is about them.
 */
export function publishedPorts(bindings: unknown): readonly PortBinding[] {
  const given = (bindings ?? {}) as { readonly [port: string]: readonly DockerBinding[] | null };
  const found = Object.entries(given).flatMap(([key, hosts]) => {
    const [port, protocol = 'tcp'] = key.split('/');
    if (protocol !== 'tcp' && protocol !== 'udp') return [];
    return (hosts ?? []).map(({ HostIp: ip = '', HostPort: host = '' }): PortBinding => {
      const range = /^\d+-\d+$/.test(host);
      return {
        container_port: Number(port),
        protocol,
        host_port: range || host === '' || host === '0' ? null : Number(host),
        host_ip: ip === '' ? null : ip,
        ...(range ? { host_port_range: host } : {}),
      };
    });
  });
  return found.sort((a, b) => a.container_port - b.container_port || (a.host_port ?? 0) - (b.host_port ?? 0));
}
