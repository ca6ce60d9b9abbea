import type { Engine } from '../engine.js';
import { DockerClient } from './docker-client.js';
import { dockerContainers } from './docker-containers.js';
import { parseDockerHost } from './docker-host.js';
import { dockerMarks } from './docker-marks.js';
import { dockerPausing } from './docker-pausing.js';

/** The Docker engine at `host` (a DOCKER_HOST value; null: the default socket), by narrow interfaces. Does not connect yet. */
export function dockerEngine(options: { readonly host: string | null }): Engine {
  const host = parseDockerHost(options.host);
  const client = new DockerClient(host);
  return {
    kind: 'docker',
    local: host.local,
    containers: dockerContainers({ client, local: host.local }),
    pausing: dockerPausing(client),
    marks: dockerMarks(client),
    async version(callOptions = {}) {
      return (await client.read('version', callOptions, (docker) => docker.version())).Version;
    },
  };
}

/** As dockerEngine, after the engine has answered once. Throws `engine.unreachable`. */
export async function connectDocker(options: { readonly host: string | null }): Promise<Engine> {
  const engine = dockerEngine(options);
  await engine.version();
  return engine;
}
