import type Docker from 'dockerode';
import type { CallOptions, ContainerState, Containers } from '../engine.js';
import type { DockerClient } from './docker-client.js';

/** Reading containers through Docker's API. */
export function dockerContainers(client: DockerClient): Containers {
  const inspect = async (idOrName: string, options: CallOptions = {}): Promise<ContainerState | null> => {
    const info = await client.readOrNull(`inspect container ${idOrName}`, options, (docker, abortSignal) =>
      docker.getContainer(idOrName).inspect({ abortSignal }),
    );
    return info === null ? null : stateOf(info);
  };
  return {
    inspect,
    async list(options) {
      const filters = JSON.stringify(options.labels ? { label: options.labels } : {});
      const rows = await client.read('list containers', options, (docker, abortSignal) =>
        docker.listContainers({ all: true, filters, abortSignal }),
      );
      const states = await Promise.all(rows.map((row) => inspect(row.Id, options)));
      return states.filter((state) => state !== null);
    },
  };
}

function stateOf(info: Docker.ContainerInspectInfo): ContainerState {
  const health = info.State.Health?.Status;
  return {
    id: info.Id,
    name: info.Name.replace(/^\//, ''),
    image: info.Config.Image,
    labels: info.Config.Labels ?? {},
    startedAt: info.State.StartedAt,
    running: info.State.Running,
    paused: info.State.Paused,
    health: health === 'starting' || health === 'healthy' || health === 'unhealthy' ? health : 'none',
    pid: info.State.Pid,
    restartCount: info.RestartCount,
    autoRemove: info.HostConfig.AutoRemove ?? false,
    networkMode: info.HostConfig.NetworkMode ?? 'default',
    networks: Object.fromEntries(
      Object.entries(info.NetworkSettings.Networks ?? {}).map(([name, network]) => [
        name,
        [network.IPAddress, network.GlobalIPv6Address].filter((address) => address !== ''),
      ]),
    ),
  };
}
