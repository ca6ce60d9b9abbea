import { readFileSync } from 'node:fs';
import type { Clock } from '../model/clock.js';

let bootId: string | undefined;

/**
 * The machine's clocks. bootMs is /proc/uptime (proc(5)), which counts suspend, to 10 ms; where there is no /proc it is the
 * monotonic clock, which does not.
 */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  bootMs() {
    try {
      return Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]) * 1000;
    } catch {
      return performance.now();
    }
  },
  bootId() {
    bootId ??= readBootId();
    return bootId;
  },
};

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
