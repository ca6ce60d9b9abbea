import { setTimeout as sleep } from 'node:timers/promises';

/** Counts Ctrl-C and SIGTERM from its making on, and wakes who sleeps through it. */
export class Interrupts {
  #count = 0;
  #woken = new AbortController();
  readonly #onSignal = () => {
    this.#count++;
    this.#woken.abort();
    this.#woken = new AbortController();
  };

  constructor() {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, this.#onSignal);
  }

  get count(): number {
    return this.#count;
  }

  /** Sleeps, or less when interrupted. */
  async sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#woken.signal }).catch(() => {});
  }

  close(): void {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, this.#onSignal);
  }
}
