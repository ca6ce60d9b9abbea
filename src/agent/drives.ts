import { setTimeout as delay } from 'node:timers/promises';
import { boundary } from '../host/boundary.js';
import { type AgentOptions, contextFor, nowOf } from './agent-options.js';
import type { JournaledLease } from './journal-entry.js';
import type { Serial } from './serial.js';

/** How long an act that is under way may go on once the fault is to end; then it is cut off. */
const ACT_PATIENCE_MS = 1_000;
const RETRY_ACT_MS = 500;

interface Drive {
  /** No further act. */
  readonly halt: AbortController;
  /** Ends the act under way too. */
  readonly cut: AbortController;
  readonly done: Promise<void>;
}

/**
 * Lets faults that act repeatedly act: each between its inject and its undo, each act announced and recorded in the journal, so that a
 * fault goes on where it was when the agent itself was killed. Nothing acts once the hold is over, nor after an undo was tried.
 */
export class Drives {
  readonly #o: AgentOptions;
  readonly #serial: Serial;
  readonly #drives = new Map<string, Drive>();
  #isStopped = false;

  constructor(options: AgentOptions & { readonly serial: Serial }) {
    this.#o = options;
    this.#serial = options.serial;
  }

  /** Begins, or goes on, with a lease that is in force; nothing for one that is driven already or needs no driving. */
  start(leaseId: string): void {
    if (this.#isStopped || this.#drives.has(leaseId) || this.#dueInMs(leaseId) === null) return;
    const [halt, cut] = [new AbortController(), new AbortController()];
    const done = this.#drive(leaseId, halt.signal, cut.signal).finally(() => this.#drives.delete(leaseId));
    this.#drives.set(leaseId, { halt, cut, done });
  }

  /** No act of the lease begins any more; resolves when the one under way is over, which is cut off after a second. */
  async halt(leaseId: string): Promise<void> {
    const drive = this.#drives.get(leaseId);
    if (!drive) return;
    drive.halt.abort();
    const patience = setTimeout(() => drive.cut.abort(new Error('its fault is to end')), ACT_PATIENCE_MS);
    await drive.done;
    clearTimeout(patience);
  }

  /** As halt, for all of them, and nothing is started any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#drives.keys()].map((leaseId) => this.halt(leaseId)));
  }

  async #drive(leaseId: string, halt: AbortSignal, cut: AbortSignal): Promise<void> {
    const sleep = this.#o.sleep ?? ((ms: number, signal: AbortSignal) => delay(ms, undefined, { signal }));
    while (!halt.aborted) {
      const dueInMs = this.#dueInMs(leaseId);
      if (dueInMs === null) return;
      if (dueInMs > 0) {
        await sleep(dueInMs, halt).catch(() => undefined);
        continue;
      }
      try {
        await this.#serial.run(leaseId, () => this.#act(leaseId, halt, cut));
      } catch (error) {
        this.#o.log('drive.failed', { lease_id: leaseId, problem: (error as Error).message });
        await sleep(RETRY_ACT_MS, halt).catch(() => undefined);
      }
    }
  }

  async #act(leaseId: string, halt: AbortSignal, cut: AbortSignal): Promise<void> {
    const { clock, journal, mechanisms } = this.#o;
    // What was asked for while this act waited for its turn may have ended the lease.
    const dueInMs = this.#dueInMs(leaseId);
    const lease = journal.lease(leaseId);
    if (halt.aborted || dueInMs === null || dueInMs > 0 || !lease?.record) return;
    const mechanism = mechanisms[lease.record.lease.mechanism];
    if (mechanism.drive === undefined) return;
    await journal.append({ kind: 'driving', lease_id: leaseId, at: nowOf(clock) });
    await boundary('agent.before-act');
    const context = contextFor(this.#o, { lease, abort: cut });
    const { notes, nextInMs, repinned } = await mechanism.drive(context, lease.record, lease.drive?.notes ?? {});
    await boundary('agent.after-act');
    const at = nowOf(clock);
    if (repinned !== undefined) await journal.append({ kind: 'repinned', lease_id: leaseId, at, target: repinned });
    const nextBootMs = nextInMs === null ? null : clock.bootMs() + nextInMs;
    await journal.append({ kind: 'driven', lease_id: leaseId, at, notes, next_boot_ms: nextBootMs });
  }

  /** Time to the lease's next act; null: it does not act (any more). */
  #dueInMs(leaseId: string): number | null {
    const { clock, journal, mechanisms } = this.#o;
    const lease = journal.lease(leaseId);
    if (!lease?.record || !isInForce(lease) || lease.boot_id !== clock.bootId()) return null;
    if (mechanisms[lease.record.lease.mechanism].drive === undefined) return null;
    const nowMs = clock.bootMs();
    if (nowMs >= lease.deadline_boot_ms) return null;
    if (lease.drive === null || lease.drive.under_way) return 0;
    const { next_boot_ms: nextMs } = lease.drive;
    return nextMs === null || nextMs >= lease.deadline_boot_ms ? null : Math.max(0, nextMs - nowMs);
  }
}

/** Injected, and nobody tried to undo it yet. */
function isInForce(lease: JournaledLease): boolean {
  return lease.state === 'injected' && lease.undo_report === null;
}
