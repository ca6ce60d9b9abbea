import type { DockerOptions } from 'dockerode';
import { MayhemError } from '../../model/error.js';

const DEFAULT_SOCKET = '/var/run/docker.sock';

/** Where an engine is, as its client wants it. */
export interface DockerHost {
  readonly text: string;
  readonly client: DockerOptions;
  readonly local: boolean;
}

/** Reads a DOCKER_HOST value: `unix://PATH`, `tcp://HOST:PORT`, `http(s)://HOST:PORT`; null is the default socket. */
export function parseDockerHost(value: string | null): DockerHost {
  if (value === null || value === '') {
    return { text: `unix://${DEFAULT_SOCKET}`, client: { socketPath: DEFAULT_SOCKET }, local: true };
  }
  if (value.startsWith('unix://'))
    return { text: value, client: { socketPath: value.slice('unix://'.length) }, local: true };
  const match = /^(tcp|http|https):\/\/([^:/]+|\[[^\]]+\]):(\d+)\/?$/.exec(value);
  if (!match) {
    throw new MayhemError('config.invalid', `DOCKER_HOST ${JSON.stringify(value)} is no address of an engine`, {
      hint: 'use unix:///path/to/docker.sock or tcp://host:port',
    });
  }
  const [, scheme, host, port] = match as unknown as [string, string, string, string];
  return {
    text: value,
    client: { host: host.replace(/^\[|\]$/g, ''), port: Number(port), protocol: scheme === 'https' ? 'https' : 'http' },
    local: false,
  };
}
