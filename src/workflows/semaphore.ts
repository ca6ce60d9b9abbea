import { condition } from '@temporalio/workflow';

/** Counts faults in force; `limit` 0 lets any number in. First come, first served. */
export class Semaphore {
  readonly #limit: number;
  #taken = 0;
  readonly #queue: symbol[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a place; false when `givenUp` became true first (then no place is held). */
  async acquire(givenUp: () => boolean): Promise<boolean> {
    const ticket = Symbol();
    this.#queue.push(ticket);
    const free = () => this.#queue[0] === ticket && (this.#limit === 0 || this.#taken < this.#limit);
    await condition(() => givenUp() || free());
    this.#queue.splice(this.#queue.indexOf(ticket), 1);
    if (givenUp()) return false;
    this.#taken += 1;
    return true;
  }

  release(): void {
    this.#taken -= 1;
  }
}
