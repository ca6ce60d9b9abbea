import { MayhemError } from '../../model/error.js';
import type { CallOptions, Mark, Marks } from '../engine.js';
import type { DockerClient } from './docker-client.js';

/** Marks as labelled empty volumes: creating one whose name exists leaves its labels as they are. */
export function dockerMarks(client: DockerClient): Marks {
  const read = async (name: string, options: CallOptions = {}): Promise<Mark | null> => {
    const volume = await client.readOrNull(`inspect volume ${name}`, options, (docker, abortSignal) =>
      docker.getVolume(name).inspect({ abortSignal }),
    );
    return volume === null ? null : { name: volume.Name, labels: volume.Labels ?? {} };
  };
  return {
    read,
    async place(mark, options = {}) {
      await client.change(`create volume ${mark.name}`, options, (docker, abortSignal) =>
        docker.createVolume({ Name: mark.name, Driver: 'local', Labels: { ...mark.labels }, abortSignal }),
      );
      const found = await read(mark.name, options);
      if (found === null)
        throw new MayhemError('engine.failed', `volume ${mark.name} vanished right after its creation`);
      return found;
    },
    async list(label, options = {}) {
      const answer = await client.read('list volumes', options, (docker, abortSignal) =>
        docker.listVolumes({ filters: JSON.stringify({ label: [label] }), abortSignal }),
      );
      return (answer.Volumes ?? []).map((volume) => ({ name: volume.Name, labels: volume.Labels ?? {} }));
    },
    async remove(name, options = {}) {
      try {
        await client.change(`remove volume ${name}`, options, (docker, abortSignal) =>
          docker.getVolume(name).remove({ abortSignal }),
        );
      } catch (error) {
        if (!(error instanceof MayhemError) || error.details['status'] !== 404) throw error;
      }
    },
  };
}
