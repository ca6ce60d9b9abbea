import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, Engine } from '../engines/engine.js';
import type { ActContext } from '../mechanisms/mechanism.js';
import type { Mechanisms } from '../mechanisms/mechanisms.js';
import type { Clock } from '../model/clock.js';
import { type ErrorCode, MayhemError } from '../model/error.js';
import type { InjectReport, LeaseSpec, ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import { isClean } from '../model/lease.js';
import { allClaims, type Claim, claimAll, endClaims, findClaim } from './claims.js';
import { boundary } from '../host/boundary.js';
import type { Journal } from './journal.js';
import type { JournaledLease } from './journal-entry.js';
import { injectLease } from './inject-lease.js';
import { Serial } from './serial.js';
import { sweepMarks } from './sweep-marks.js';
import { undoLease } from './undo-lease.js';

/** Nothing is injected later than this after arming: a request that was held up is refused. */
const INJECT_WINDOW_MS = 30_000;
/** How long an undo lets an inject that is under way finish before it cuts it off. */
const INJECT_PATIENCE_MS = 1_000;
const ENGINE_DEADLINE_MS = 15_000;
const RETRY_UNDO_MS = 2_000;
const RECHECK_MS = 2_000;

/** Why a lease could not be prepared. */
export interface AssessedProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | null;
}

export interface UndoOptions {
  readonly releasedBy: ReleasedBy;
  /** The undo record as stored elsewhere; null when the caller has none. */
  readonly record: UndoRecord | null;
}

export interface AgentOptions {
  readonly engine: Engine;
  readonly engineId: string;
  readonly installationId: string;
  readonly mechanisms: Mechanisms;
  readonly journal: Journal;
  readonly clock: Clock;
  /** Folder for what mechanisms pin on this host. */
  readonly pins: string;
  readonly log: (event: string, fields: Readonly<Record<string, unknown>>) => void;
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

  constructor(options: AgentOptions) {
    this.#o = options;
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
  async assess(specs: readonly LeaseSpec[]): Promise<readonly (AssessedProblem | null)[]> {
    const { mechanisms } = this.#o;
    const context = this.#context();
    return Promise.all(
      specs.map(async (spec) => {
        try {
          await mechanisms[spec.mechanism].snapshot(context, spec);
          return null;
        } catch (error) {
          if (!(error instanceof MayhemError) || error.code === 'engine.unreachable') throw error;
          return { code: error.code, message: error.message, hint: error.hint ?? null };
        }
      }),
    );
  }

  /**
   * Snapshot, undo record, claim on the engine. Nothing is injected and nothing journaled yet. Idempotent by lease: a lease that
   * is claimed or armed already returns the record it was claimed or armed with.
   */
  prepare(spec: LeaseSpec): Promise<UndoRecord> {
    return this.#serial.run(spec.lease_id, async () => {
      const known = this.#refuseClosed(spec.lease_id);
      if (known?.record) return known.record;
      const { engine, mechanisms } = this.#o;
      const signal = AbortSignal.timeout(ENGINE_DEADLINE_MS);
      const claimed = await findClaim({ engine, leaseId: spec.lease_id, resources: spec.resources, signal });
      if (claimed?.record) return claimed.record;
      const mechanism = mechanisms[spec.mechanism];
      const context = { engine, pins: this.#o.pins, signal };
      const fingerprint = await mechanism.snapshot(context, spec);
      const record: UndoRecord = {
        schema: 'mayhem/undo/v1',
        lease: spec,
        installation_id: this.#o.installationId,
        prepared_at: this.#now(),
        fingerprint,
        recipe: mechanism.recipe({ lease: spec, fingerprint }),
      };
      await boundary('agent.before-claim');
      await claimAll({ engine, record, deadline: this.#upperDeadline(spec), signal });
      this.#prepared.add(spec.lease_id);
      await boundary('agent.after-claim');
      // Whoever held the claim until a moment ago may have been in force when the snapshot was taken.
      const again = await mechanism.snapshot(context, spec).catch((error: unknown) => error as Error);
      if (JSON.stringify(again) !== JSON.stringify(fingerprint)) {
        await endClaims({ engine, leaseId: spec.lease_id, resources: spec.resources, signal });
        if (again instanceof Error) throw again;
        throw new MayhemError('target.drift', `${spec.target.name} changed while it was being claimed`, {
          hint: 'start the drill again',
        });
      }
      return record;
    });
  }

  /** Writes the lease to the journal, after its undo record was stored elsewhere too. Only an armed lease can be injected. Idempotent. */
  arm(record: UndoRecord): Promise<void> {
    const { lease } = record;
    return this.#serial.run(lease.lease_id, async () => {
      if (this.#refuseClosed(lease.lease_id)) return;
      if (!this.#prepared.has(lease.lease_id)) {
        const signal = AbortSignal.timeout(ENGINE_DEADLINE_MS);
        await claimAll({ engine: this.#o.engine, record, deadline: this.#upperDeadline(lease), signal });
      }
      const bootMs = this.#o.clock.bootMs();
      await boundary('agent.before-journal');
      await this.#o.journal.append({
        kind: 'armed',
        lease_id: lease.lease_id,
        at: this.#now(),
        record,
        boot_id: this.#o.clock.bootId(),
        inject_by_boot_ms: bootMs + INJECT_WINDOW_MS,
        deadline_boot_ms: bootMs + INJECT_WINDOW_MS + lease.duration_ms,
      });
      this.#prepared.delete(lease.lease_id);
      await boundary('agent.after-journal');
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
      if (lease.boot_id !== this.#o.clock.bootId() || begun > lease.inject_by_boot_ms) {
        throw new MayhemError('lease.late', `lease ${leaseId} may not be injected any more: its time is over`);
      }
      const abort = new AbortController();
      const { clock, journal, mechanisms } = this.#o;
      const context = this.#context(abort.signal);
      const work = injectLease({
        context,
        mechanisms,
        clock,
        journal,
        record: lease.record,
        state: lease.state,
        begunMs: begun,
      });
      this.#injects.set(leaseId, { done: work.catch(() => undefined), abort });
      try {
        return await work;
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
    return this.#serial.run(leaseId, async () => {
      const { journal, mechanisms, clock } = this.#o;
      let lease = journal.lease(leaseId);
      if (!lease) {
        const claim = await this.#claimOf(leaseId);
        const record = options.record ?? claim?.record ?? null;
        if (record !== null && !this.#prepared.has(leaseId)) {
          await this.#adopt(record);
        } else {
          await journal.append({ kind: 'fenced', lease_id: leaseId, at: this.#now() });
          if (claim?.record) await this.#endClaims(claim.record);
          return this.#neverArmed(leaseId, options.releasedBy);
        }
        lease = journal.lease(leaseId) as JournaledLease;
      }
      if (lease.state === 'closed' || !lease.record)
        return lease.undo_report ?? this.#neverArmed(leaseId, options.releasedBy);
      await boundary('agent.before-undo');
      const report = await undoLease({
        context: this.#context(),
        mechanisms,
        clock,
        record: lease.record,
        reached: lease.state === 'armed' ? 'armed' : lease.inject_report ? 'injected' : 'injecting',
        injectReport: lease.inject_report,
        earlier: lease.undo_report,
        releasedBy: options.releasedBy,
        settle: sleep,
      });
      await boundary('agent.before-tombstone');
      if (!isClean(report.outcome)) {
        await journal.append({ kind: 'undo_failed', lease_id: leaseId, at: this.#now(), report });
        this.#retryAt.set(leaseId, clock.bootMs() + RETRY_UNDO_MS);
        this.#o.log('undo.failed', { lease_id: leaseId, outcome: report.outcome, problem: report.problem });
        return report;
      }
      await journal.append({ kind: 'undone', lease_id: leaseId, at: this.#now(), report });
      await boundary('agent.after-tombstone');
      this.#o.log('lease.undone', { lease_id: leaseId, outcome: report.outcome, released_by: options.releasedBy });
      await this.#endClaims(lease.record);
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
      const { journal, mechanisms, clock } = this.#o;
      const lease = journal.lease(leaseId);
      if (lease?.state !== 'closed' || !lease.record || !lease.undo_report) {
        throw new MayhemError('lease.unknown', `lease ${leaseId} is in force again`);
      }
      const report = await undoLease({
        context: this.#context(),
        mechanisms,
        clock,
        record: lease.record,
        reached: 'injected',
        injectReport: lease.inject_report,
        earlier: lease.undo_report,
        releasedBy: lease.undo_report.released_by,
        settle: sleep,
      });
      if (!isClean(report.outcome)) {
        await journal.append({ kind: 'reopened', lease_id: leaseId, at: this.#now(), report });
        this.#retryAt.set(leaseId, clock.bootMs() + RETRY_UNDO_MS);
      }
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
    const bootId = clock.bootId();
    const due = this.openLeases().filter((lease) => this.#dueAt(lease, bootId) <= bootMs);
    if (due.length > 0) await this.#undoMany(due, 'agent');
    const next = this.openLeases().map((lease) => this.#dueAt(lease, bootId) - clock.bootMs());
    return next.length === 0 ? null : Math.max(0, Math.min(...next));
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
      endClaims: (record) => this.#endClaims(record),
      acknowledge: (leaseId) => this.acknowledge([leaseId]),
    });
  }

  /** A claim without a journal entry: the journal was lost, or the agent died before it armed. As far as we know it was injected. */
  async #adopt(record: UndoRecord): Promise<void> {
    const leaseId = record.lease.lease_id;
    await this.#o.journal.append({
      kind: 'armed',
      lease_id: leaseId,
      at: this.#now(),
      record,
      boot_id: this.#o.clock.bootId(),
      inject_by_boot_ms: 0,
      deadline_boot_ms: 0,
    });
    await this.#o.journal.append({ kind: 'injecting', lease_id: leaseId, at: this.#now() });
  }

  async #undoMany(leases: readonly JournaledLease[], releasedBy: ReleasedBy): Promise<readonly UndoReport[]> {
    const byTarget = new Map<string, JournaledLease[]>();
    for (const lease of leases) {
      const target = lease.record?.lease.target.container_id ?? lease.lease_id;
      byTarget.set(target, [...(byTarget.get(target) ?? []), lease]);
    }
    const chains = [...byTarget.values()].map(async (chain) => {
      const reports: UndoReport[] = [];
      for (const lease of chain.toReversed()) {
        reports.push(await this.undo(lease.lease_id, { releasedBy, record: lease.record }));
      }
      return reports;
    });
    return (await Promise.all(chains)).flat();
  }

  #context(abort?: AbortSignal): ActContext {
    const deadline = AbortSignal.timeout(ENGINE_DEADLINE_MS);
    const { engine, pins } = this.#o;
    return { engine, pins, signal: abort === undefined ? deadline : AbortSignal.any([abort, deadline]) };
  }

  #dueAt(lease: JournaledLease, bootId: string): number {
    if (lease.state === 'kept') return Number.POSITIVE_INFINITY;
    const retryAt = this.#retryAt.get(lease.lease_id);
    if (lease.undo_report && retryAt !== undefined) return retryAt;
    if (lease.boot_id !== bootId) return 0;
    return lease.deadline_boot_ms + (lease.record?.lease.grace_ms ?? 0);
  }

  async #claimOf(leaseId: string): Promise<Claim | null> {
    const claims = await allClaims({ engine: this.#o.engine, signal: AbortSignal.timeout(ENGINE_DEADLINE_MS) });
    return claims.find((claim) => claim.lease_id === leaseId) ?? null;
  }

  /** A claim that stays behind is no fault: the sweep takes it. */
  async #endClaims(record: UndoRecord): Promise<void> {
    const { lease } = record;
    try {
      const signal = AbortSignal.timeout(ENGINE_DEADLINE_MS);
      await endClaims({ engine: this.#o.engine, leaseId: lease.lease_id, resources: lease.resources, signal });
      await boundary('agent.after-release');
    } catch (error) {
      this.#o.log('claim.left', { lease_id: lease.lease_id, problem: (error as Error).message });
    }
  }

  #refuseClosed(leaseId: string): JournaledLease | undefined {
    const lease = this.#o.journal.lease(leaseId);
    if (lease?.state === 'closed') {
      throw new MayhemError('lease.closed', `lease ${leaseId} is over: nothing more is done for it`);
    }
    return lease;
  }

  #neverArmed(leaseId: string, releasedBy: ReleasedBy): UndoReport {
    return {
      lease_id: leaseId,
      outcome: 'restored',
      injection: 'not_started',
      released_by: releasedBy,
      injected_at: null,
      undone_at: this.#now(),
      undo_ms: 0,
      proofs: [],
      problem: null,
    };
  }

  #upperDeadline(spec: LeaseSpec): string {
    return new Date(this.#o.clock.wallMs() + INJECT_WINDOW_MS + spec.duration_ms).toISOString();
  }

  #now(): string {
    return new Date(this.#o.clock.wallMs()).toISOString();
  }
}
