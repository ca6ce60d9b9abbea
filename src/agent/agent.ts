import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState } from '../engines/engine.js';
import { MayhemError } from '../model/error.js';
import type { InjectReport, LeaseSpec, ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import { isClean } from '../model/lease.js';
import { type AgentOptions, contextFor, ENGINE_DEADLINE_MS, nowOf } from './agent-options.js';
import { adoptLease, neverArmedReport } from './adopt-lease.js';
import { type AssessedProblem, assessLeases } from './assess-leases.js';
import { armLease } from './arm-lease.js';
import { dueAtBootMs } from './due.js';
import { Drives } from './drives.js';
import { endLease, recheckLease, type RecordedLease } from './end-lease.js';
import { injectLease } from './inject-lease.js';
import type { JournaledLease } from './journal-entry.js';
import { prepareLease } from './prepare-lease.js';
import { claimOfLease, releaseClaims } from './release-claims.js';
import { Serial } from './serial.js';
import { sweepMarks } from './sweep-marks.js';
import { undoMany } from './undo-many.js';

/** How long an undo lets an inject that is under way finish before it cuts it off. */
const INJECT_PATIENCE_MS = 1_000;
const RETRY_UNDO_MS = 2_000;
const RECHECK_MS = 2_000;

export interface UndoOptions {
  readonly releasedBy: ReleasedBy;
  /** The undo record as stored elsewhere; null when the caller has none. */
  readonly record: UndoRecord | null;
}

/**
 * The only hands on one engine: whatever is injected or undone there is done here, one thing at a time for each lease, each
 * announced in the journal first. It ends every fault by its own clock when nobody else does.
 */
export class Agent {
  readonly #o: AgentOptions;
  readonly #serial = new Serial();
  readonly #injects = new Map<string, { readonly done: Promise<unknown>; readonly abort: AbortController }>();
  readonly #retryAt = new Map<string, number>();
  /** Leases claimed by this very process and not armed yet: nothing was injected for them. */
  readonly #prepared = new Set<string>();
  readonly #drives: Drives;
  #isStopping = false;

  constructor(options: AgentOptions) {
    this.#o = options;
    this.#drives = new Drives({ ...options, serial: this.#serial });
  }

  get engineId(): string {
    return this.#o.engineId;
  }

  /** Containers on the engine, for admission: read only. */
  containers(options: { readonly labels?: readonly string[] }): Promise<readonly ContainerState[]> {
    return this.#o.engine.containers.list({ ...options, signal: AbortSignal.timeout(ENGINE_DEADLINE_MS) });
  }

  /**
   * Whether each lease could be prepared now, by taking its snapshot and no more: read only. Null: yes; else why not.
   */
  assess(specs: readonly LeaseSpec[]): Promise<readonly (AssessedProblem | null)[]> {
    return assessLeases(this.#o, specs);
  }

  /**
   * Snapshot, undo record, claim on the engine. Nothing is injected and nothing journaled yet. Idempotent by lease: a lease that
   * is claimed or armed already returns the record it was claimed or armed with.
   */
  prepare(spec: LeaseSpec): Promise<UndoRecord> {
    return this.#serial.run(spec.lease_id, async () => {
      this.#refuseWhileStopping();
      const known = this.#refuseClosed(spec.lease_id);
      if (known?.record) return known.record;
      return prepareLease({ ...this.#o, onClaimed: () => this.#prepared.add(spec.lease_id) }, spec);
    });
  }

  /** Writes the lease to the journal, after its undo record was stored elsewhere too. Only an armed lease can be injected. Idempotent. */
  arm(record: UndoRecord): Promise<void> {
    const { lease } = record;
    return this.#serial.run(lease.lease_id, async () => {
      this.#refuseWhileStopping();
      if (this.#refuseClosed(lease.lease_id)) return;
      await armLease(this.#o, { record, isClaimed: this.#prepared.has(lease.lease_id) });
      this.#prepared.delete(lease.lease_id);
    });
  }

  /**
   * Injects an armed lease and proves it. The deadline counts from this call's acknowledgement. Idempotent: a lease in force
   * returns its first report. Refuses what is closed (`lease.closed`), not armed (`lease.unknown`) or late (`lease.late`).
   */
  inject(leaseId: string): Promise<InjectReport> {
    return this.#serial.run(leaseId, async () => {
      const begun = this.#o.clock.bootMs();
      const lease = this.#refuseClosed(leaseId);
      if (!lease?.record) {
        throw new MayhemError('lease.unknown', `lease ${leaseId} is not armed here`, { hint: 'arm it first' });
      }
      if (lease.inject_report) return lease.inject_report;
      this.#refuseWhileStopping();
      if (lease.boot_id !== this.#o.clock.bootId() || begun > lease.inject_by_boot_ms) {
        throw new MayhemError('lease.late', `lease ${leaseId} may not be injected any more: its time is over`);
      }
      const abort = new AbortController();
      const { clock, journal, mechanisms } = this.#o;
      const work = injectLease({
        context: contextFor(this.#o, { lease, abort: abort.signal }),
        mechanisms,
        clock,
        journal,
        record: lease.record,
        state: lease.state,
        begunMs: begun,
      });
      this.#injects.set(leaseId, { done: work.catch(() => undefined), abort });
      try {
        const report = await work;
        if (report.outcome !== 'not_observed') this.#drives.start(leaseId);
        return report;
      } finally {
        this.#injects.delete(leaseId);
      }
    });
  }

  /**
   * Ends a lease, whatever state it is in, and proves it. Idempotent: a closed lease returns its tombstone. A lease the journal
   * does not know is ended from the record given, or the one its mark carries: the journal may have been lost. One that has none
   * of them was never armed: it is fenced, and a late prepare, arm or inject for it is refused from now on.
   */
  async undo(leaseId: string, options: UndoOptions): Promise<UndoReport> {
    const running = this.#injects.get(leaseId);
    if (running) {
      const patience = setTimeout(() => running.abort.abort(new Error('its undo was called')), INJECT_PATIENCE_MS);
      await running.done;
      clearTimeout(patience);
    }
    await this.#drives.halt(leaseId);
    return this.#serial.run(leaseId, async () => {
      const { journal } = this.#o;
      let lease = journal.lease(leaseId);
      if (!lease) {
        const claim = await claimOfLease(this.#o, leaseId);
        const record = options.record ?? claim?.record ?? null;
        if (record !== null && !this.#prepared.has(leaseId)) {
          await adoptLease(this.#o, record);
        } else {
          await journal.append({ kind: 'fenced', lease_id: leaseId, at: this.#now() });
          if (claim?.record) await releaseClaims(this.#o, claim.record);
          return neverArmedReport({ leaseId, releasedBy: options.releasedBy, at: this.#now() });
        }
        lease = journal.lease(leaseId) as JournaledLease;
      }
      if (lease.state === 'closed' || !lease.record)
        return lease.undo_report ?? neverArmedReport({ leaseId, releasedBy: options.releasedBy, at: this.#now() });
      const report = await endLease(this.#o, { lease: lease as RecordedLease, releasedBy: options.releasedBy });
      if (isClean(report.outcome)) await releaseClaims(this.#o, lease.record);
      else this.#retryAt.set(leaseId, this.#o.clock.bootMs() + RETRY_UNDO_MS);
      return report;
    });
  }

  /**
   * Looks once more, two seconds after its end, whether a lease is still over; ends it again when it is not. A lease that comes back for
   * good is open again, and the agent goes on trying. Throws `lease.unknown` for one that was never ended here.
   */
  async recheck(leaseId: string): Promise<UndoReport> {
    const ended = this.#o.journal.lease(leaseId);
    if (!ended?.record || !ended.undo_report)
      throw new MayhemError('lease.unknown', `lease ${leaseId} was never ended here`);
    const sinceMs = this.#o.clock.wallMs() - Date.parse(ended.undo_report.undone_at);
    await sleep(Math.min(RECHECK_MS, Math.max(0, RECHECK_MS - sinceMs)));
    return this.#serial.run(leaseId, async () => {
      const lease = this.#o.journal.lease(leaseId);
      if (lease?.state !== 'closed' || !lease.record || !lease.undo_report) {
        throw new MayhemError('lease.unknown', `lease ${leaseId} is in force again`);
      }
      const report = await recheckLease(this.#o, { lease: lease as RecordedLease, ended: lease.undo_report });
      if (!isClean(report.outcome)) this.#retryAt.set(leaseId, this.#o.clock.bootMs() + RETRY_UNDO_MS);
      return report;
    });
  }

  /** Leaves a lease in force on purpose after its hold: no deadline ends it, only an undo that is asked for. */
  keep(leaseId: string): Promise<void> {
    return this.#serial.run(leaseId, async () => {
      const lease = this.#refuseClosed(leaseId);
      if (!lease?.inject_report) throw new MayhemError('lease.unknown', `lease ${leaseId} is not in force here`);
      if (lease.state !== 'kept') await this.#o.journal.append({ kind: 'kept', lease_id: leaseId, at: this.#now() });
    });
  }

  /** Leases that are armed, in force or not yet proven ended. */
  openLeases(): readonly JournaledLease[] {
    return this.#o.journal.leases.filter((lease) => lease.state !== 'closed');
  }

  /** Tombstones that nobody has recorded in Postgres yet. */
  unacknowledged(): readonly UndoReport[] {
    return this.#o.journal.leases
      .filter((lease) => lease.state === 'closed' && !lease.acknowledged)
      .flatMap((lease) => (lease.undo_report ? [lease.undo_report] : []));
  }

  /** What a lease's journal entries say, for a worker that lost its answer. */
  lease(leaseId: string): JournaledLease | null {
    return this.#o.journal.lease(leaseId) ?? null;
  }

  async acknowledge(leaseIds: readonly string[]): Promise<void> {
    for (const leaseId of leaseIds) {
      const lease = this.#o.journal.lease(leaseId);
      if (lease?.state === 'closed' && !lease.acknowledged) {
        await this.#o.journal.append({ kind: 'acknowledged', lease_id: leaseId, at: this.#now() });
      }
    }
  }

  /** Undoes every open lease, newest first on each target, targets side by side. */
  async undoAll(options: { readonly releasedBy: ReleasedBy }): Promise<readonly UndoReport[]> {
    return this.#undoMany(this.openLeases(), options.releasedBy);
  }

  /** Ends every lease whose deadline and grace are over; returns the time to the next one, or null when none is open. */
  async endDue(): Promise<number | null> {
    const { clock } = this.#o;
    const bootMs = clock.bootMs();
    const due = this.openLeases().filter((lease) => this.#dueAt(lease) <= bootMs);
    if (due.length > 0) await this.#undoMany(due, 'agent');
    const next = this.openLeases().map((lease) => this.#dueAt(lease) - clock.bootMs());
    return next.length === 0 ? null : Math.max(0, Math.min(...next));
  }

  /** Goes on with the faults that act repeatedly, after the agent itself was restarted. */
  resumeDrives(): void {
    for (const lease of this.openLeases()) this.#drives.start(lease.lease_id);
  }

  /**
   * From now on nothing is prepared, armed or injected, and no fault acts any more; what was claimed and not armed is given free. Leases
   * that are open stay so: undoAll ends them.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#drives.stop();
    const unarmed = [...this.#prepared].map((leaseId) =>
      this.#serial.run(leaseId, async () => {
        const claim = this.#prepared.delete(leaseId) ? await claimOfLease(this.#o, leaseId) : null;
        if (claim?.record) await releaseClaims(this.#o, claim.record);
      }),
    );
    for (const one of await Promise.allSettled(unarmed)) {
      if (one.status === 'rejected') this.#o.log('claim.left', { problem: (one.reason as Error).message });
    }
  }

  /** Ends what marks on the engine tell of and no open lease explains: see sweepMarks. */
  sweepMarks(options: { readonly releasedBy: ReleasedBy }): Promise<void> {
    const { clock, engine, installationId, journal, log } = this.#o;
    return sweepMarks({
      clock,
      engine,
      installationId,
      journal,
      log,
      isPrepared: (leaseId) => this.#prepared.has(leaseId),
      undo: (record) => this.undo(record.lease.lease_id, { ...options, record }),
      endClaims: (record) => releaseClaims(this.#o, record),
      acknowledge: (leaseId) => this.acknowledge([leaseId]),
    });
  }

  #undoMany(leases: readonly JournaledLease[], releasedBy: ReleasedBy): Promise<readonly UndoReport[]> {
    return undoMany(leases, (lease) => this.undo(lease.lease_id, { releasedBy, record: lease.record }));
  }

  #dueAt(lease: JournaledLease): number {
    return dueAtBootMs({
      lease,
      bootId: this.#o.clock.bootId(),
      retryAtBootMs: this.#retryAt.get(lease.lease_id) ?? null,
    });
  }

  /** Retried by whoever asked: when the agent was restarted, it is done there. */
  #refuseWhileStopping(): void {
    if (!this.#isStopping) return;
    throw new MayhemError('agent.unreachable', 'the agent is stopping: it starts nothing new', {
      hint: 'see `mayhem status`; `mayhem up` starts it again',
    });
  }

  #refuseClosed(leaseId: string): JournaledLease | undefined {
    const lease = this.#o.journal.lease(leaseId);
    if (lease?.state === 'closed') {
      throw new MayhemError('lease.closed', `lease ${leaseId} is over: nothing more is done for it`);
    }
    return lease;
  }

  #now(): string {
    return nowOf(this.#o.clock);
  }
}
