import { describe, expect, it } from 'vitest';
import { parsePortRange, parseShortPort, readLongPort } from './ports.js';

const short = (text: string) => {
  const read = parseShortPort(text);
  if (!read.ok) return read.problem;
  return read.ports.map(({ host_ip: ip, host_port: host, host_port_range: range, container_port: port, protocol }) =>
    [ip ?? '*', range ?? host ?? '?', port, protocol].join(' '),
  );
};

describe('ports of a service', () => {
  it.each([
    ['4100', ['* ? 4100 tcp']],
    ['80:8080', ['* 80 8080 tcp']],
    ['127.0.0.1:80:8080', ['127.0.0.1 80 8080 tcp']],
    ['127.0.0.1::8080', ['127.0.0.1 ? 8080 tcp']],
    ['[::1]:80:80', ['::1 80 80 tcp']],
    ['::1:80:80', ['::1 80 80 tcp']],
    ['53:53/udp', ['* 53 53 udp']],
    ['53:53/UDP', ['* 53 53 udp']],
    ['0:80', ['* ? 80 tcp']],
    ['7070-7071:6060-6061', ['* 7070 6060 tcp', '* 7071 6061 tcp']],
    ['127.0.0.1:5600-5610:80', ['127.0.0.1 5600-5610 80 tcp']],
    ['4100-4102', ['* ? 4100 tcp', '* ? 4101 tcp', '* ? 4102 tcp']],
  ])('reads %s', (text, expected) => {
    expect(short(text)).toEqual(expected);
  });

  it.each(['', 'abc', '70000', '0', '5-3', '80-82:80-81', '80:80-81', '80:80/sctp', 'x:80', '80:', '-1:80'])(
    'refuses "%s"',
    (text) => {
      expect(parseShortPort(text).ok).toBe(false);
    },
  );

  it('gives the same bindings for the long form of the same thing', () => {
    const long = readLongPort({ target: '80', published: '8000-8010', hostIp: '127.0.0.1', protocol: 'tcp' });
    expect(long).toEqual(parseShortPort('127.0.0.1:8000-8010:80'));
    expect(readLongPort({ target: '80', published: '0', hostIp: null, protocol: 'tcp' })).toEqual(parseShortPort('80'));
  });

  it('reads ranges of exposed ports', () => {
    expect(parsePortRange('7000-7002')).toEqual([7000, 7001, 7002]);
    expect(parsePortRange('7000/udp')).toEqual([7000]);
    expect(parsePortRange('x')).toBeNull();
  });
});
