import type Docker from 'dockerode';
import type { CallOptions, ContainerState, Containers } from '../engine.js';
import { readNetns } from '../host/netns.js';
import type { DockerClient } from './docker-client.js';
import { publishedPorts } from './published-ports.js';

/** Reading containers through Docker's API. */
export function dockerContainers(options: { readonly client: DockerClient; readonly local: boolean }): Containers {
  const { client } = options;
  const inspect = async (idOrName: string, callOptions: CallOptions = {}): Promise<ContainerState | null> => {
    const info = await client.readOrNull(`inspect container ${idOrName}`, callOptions, (docker, abortSignal) =>
      docker.getContainer(idOrName).inspect({ abortSignal }),
    );
    return info === null ? null : stateOf(info, options.local ? await readNetns(info.State.Pid) : null);
  };
  return {
    inspect,
    async list(listOptions) {
      const filters = JSON.stringify(listOptions.labels ? { label: listOptions.labels } : {});
      const rows = await client.read('list containers', listOptions, (docker, abortSignal) =>
        docker.listContainers({ all: true, filters, abortSignal }),
      );
      const states = await Promise.all(rows.map((row) => inspect(row.Id, listOptions)));
      return states.filter((state) => state !== null);
    },
  };
}

function stateOf(info: Docker.ContainerInspectInfo, netns: string | null): ContainerState {
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
    netns,
    restartCount: info.RestartCount,
    autoRemove: info.HostConfig.AutoRemove ?? false,
    networkMode: info.HostConfig.NetworkMode ?? 'default',
    networks: Object.fromEntries(
      Object.entries(info.NetworkSettings.Networks ?? {}).map(([name, network]) => [
        name,
        [network.IPAddress, network.GlobalIPv6Address].filter((address) => address !== ''),
      ]),
    ),
    ports: publishedPorts(info.HostConfig.PortBindings),
  };
}
