import { describe, expect, it } from 'vitest';
import { publishedPorts } from './published-ports.js';

describe('published ports of a Docker container', () => {
  it('are read with address, range and protocol, in the order of ports', () => {
    expect(
      publishedPorts({
        '443/tcp': [
          { HostIp: '127.0.0.1', HostPort: '8443' },
          { HostIp: '::1', HostPort: '8444' },
        ],
        '53/udp': [{ HostIp: '', HostPort: '53' }],
        '80/tcp': [{ HostPort: '5600-5610' }],
        '81/tcp': [{ HostIp: '', HostPort: '' }],
        '82/tcp': [{ HostPort: '0' }],
        '83/tcp': null,
        '84/sctp': [{ HostPort: '84' }],
      }),
    ).toEqual([
      { container_port: 53, protocol: 'udp', host_port: 53, host_ip: null },
      { container_port: 80, protocol: 'tcp', host_port: null, host_ip: null, host_port_range: '5600-5610' },
      { container_port: 81, protocol: 'tcp', host_port: null, host_ip: null },
      { container_port: 82, protocol: 'tcp', host_port: null, host_ip: null },
      { container_port: 443, protocol: 'tcp', host_port: 8443, host_ip: '127.0.0.1' },
      { container_port: 443, protocol: 'tcp', host_port: 8444, host_ip: '::1' },
    ]);
    expect(publishedPorts(null)).toEqual([]);
  });
});
