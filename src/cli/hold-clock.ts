import type { RunEvent } from '../model/event.js';

interface Hold {
  readonly what: string;
  readonly deadlineMs: number;
}

/** What is in force now and how long yet, told by the events of a run. */
export class HoldClock {
  readonly #holds = new Map<string, Hold>();

  see(event: RunEvent): void {
    const { payload } = event;
    const leaseId = payload['lease_id'];
    if (typeof leaseId !== 'string') return;
    const { deadline, fault, target } = payload;
    if (event.kind === 'fault.injected' && typeof deadline === 'string') {
      const named = [fault, target].filter((part) => typeof part === 'string');
      this.#holds.set(leaseId, { what: named.join(' on '), deadlineMs: Date.parse(deadline) });
    }
    const kept = event.kind === 'lease.state_changed' && payload['to'] === 'kept_faulted';
    if (event.kind === 'fault.recovered' || event.kind === 'fault.failed' || kept) this.#holds.delete(leaseId);
  }

  /** `container.pause on shop-api: 7 s left`; null when nothing is in force. */
  remaining(nowMs: number): string | null {
    if (this.#holds.size === 0) return null;
    return [...this.#holds.values()]
      .map(({ deadlineMs, what }) => {
        const leftS = Math.ceil((deadlineMs - nowMs) / 1000);
        return leftS > 0 ? `${what}: ${leftS} s left` : `${what}: undoing`;
      })
      .join(', ');
  }
}
