import { MayhemError } from '../../model/error.js';
import type { CallOptions, Pausing } from '../engine.js';
import type { DockerClient } from './docker-client.js';

/** Freezing and thawing through Docker's API. */
export function dockerPausing(client: DockerClient): Pausing {
  return {
    pause: (id, options = {}) =>
      changed(
        client.change(`pause container ${id}`, options, (docker, abortSignal) =>
          docker.getContainer(id).pause({ abortSignal }),
        ),
      ),
    unpause: (id, options: CallOptions = {}) =>
      changed(
        client.change(`unpause container ${id}`, options, (docker, abortSignal) =>
          docker.getContainer(id).unpause({ abortSignal }),
        ),
      ),
  };
}

/**
 * 404 (not there) and 409 (already so, or not running) are no change; Docker 20.10 answers 500 with a text where later
 * ones answer 409.
 */
async function changed(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (!(error instanceof MayhemError)) throw error;
    const status = error.details['status'];
    if (status === 404 || status === 409) return false;
    if (status === 500 && /is not paused|already paused|is not running/i.test(error.message)) return false;
    throw error;
  }
}
