import { readFileSync } from 'node:fs';
import type { Clock } from '../model/clock.js';

let bootId: string | undefined;

/** /proc/uptime is cut to 10 ms; more than this apart from the monotonic clock, and the machine was suspended in between. */
const TOLERANCE_MS = 30;
let offsetMs: number | undefined;

/**
 * The machine's clocks. bootMs follows /proc/uptime (proc(5)), which counts suspend, and takes its fine divisions from the monotonic
 * clock, which does not; where there is no /proc it is the monotonic clock alone.
 */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  bootMs() {
    const monotonicMs = performance.now();
    const uptimeMs = readUptimeMs();
    if (uptimeMs === null) return monotonicMs;
    if (offsetMs === undefined || Math.abs(offsetMs + monotonicMs - uptimeMs) > TOLERANCE_MS)
      offsetMs = uptimeMs - monotonicMs;
    return offsetMs + monotonicMs;
  },
  bootId() {
    bootId ??= readBootId();
    return bootId;
  },
};

function readUptimeMs(): number | null {
  try {
    return Number(readFileSync('/proc/uptime', 'utf8').split(' ', 1)[0]) * 1000;
  } catch {
    return null;
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
