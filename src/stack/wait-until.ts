import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls a condition until it holds; false when it did not within `withinMs`.
 * The condition is tried at least once.
 */
export async function waitUntil(options: {
  readonly condition: () => boolean | Promise<boolean>;
  readonly withinMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}): Promise<boolean> {
  const end = performance.now() + options.withinMs;
  for (;;) {
    if (await options.condition()) return true;
    if (performance.now() >= end || options.signal?.aborted === true) return false;
    await sleep(options.everyMs ?? 50);
  }
}
