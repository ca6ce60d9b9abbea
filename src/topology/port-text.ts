import type { PortBinding } from '../model/blueprint.js';

/** A published port as `docker ps` writes it: `127.0.0.1:8080->80/tcp`; `*` where the engine chooses the host's port. */
export function portText(port: PortBinding): string {
  const host = port.host_port_range ?? (port.host_port === null ? '*' : String(port.host_port));
  const ip = isAnyAddress(port.host_ip) ? '' : port.host_ip?.includes(':') ? `[${port.host_ip}]:` : `${port.host_ip}:`;
  return `${ip}${host}->${port.container_port}/${port.protocol}`;
}

function isAnyAddress(ip: string | null): boolean {
  return ip === null || ip === '' || ip === '0.0.0.0' || ip === '::';
}
