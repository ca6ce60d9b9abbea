import Docker from 'dockerode';
import { MayhemError } from '../../model/error.js';
import type { CallOptions } from '../engine.js';
import { dockerCall } from './docker-call.js';
import type { DockerHost } from './docker-host.js';

const READ_TIMEOUT_MS = 5_000;
const CHANGE_TIMEOUT_MS = 10_000;

type Call<T> = (client: Docker, signal: AbortSignal) => Promise<T>;

/** The one connection to an engine; every call has a deadline and its errors are told apart. */
export class DockerClient {
  readonly #docker: Docker;
  readonly #where: string;

  constructor(host: DockerHost) {
    this.#docker = new Docker(host.client);
    this.#where = host.text;
  }

  read<T>(what: string, options: CallOptions, call: Call<T>): Promise<T> {
    return this.#call(what, READ_TIMEOUT_MS, options, call);
  }

  /** As read; null when the engine says that there is no such thing (404). */
  async readOrNull<T>(what: string, options: CallOptions, call: Call<T>): Promise<T | null> {
    try {
      return await this.read(what, options, call);
    } catch (error) {
      if (error instanceof MayhemError && error.details['status'] === 404) return null;
      throw error;
    }
  }

  change<T>(what: string, options: CallOptions, call: Call<T>): Promise<T> {
    return this.#call(what, CHANGE_TIMEOUT_MS, options, call);
  }

  #call<T>(what: string, timeoutMs: number, options: CallOptions, call: Call<T>): Promise<T> {
    return dockerCall({
      what,
      where: this.#where,
      timeoutMs,
      signal: options.signal,
      call: (signal) => call(this.#docker, signal),
    });
  }
}
