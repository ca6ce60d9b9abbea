import { boundary } from '../host/boundary.js';
import type { ActContext } from '../mechanisms/mechanism.js';
import type { Mechanisms } from '../mechanisms/mechanisms.js';
import type { Clock } from '../model/clock.js';
import { MayhemError } from '../model/error.js';
import type { InjectReport, Proof, UndoRecord } from '../model/lease.js';
import type { Journal } from './journal.js';
import type { JournaledLease } from './journal-entry.js';

export interface InjectLeaseOptions {
  readonly context: ActContext;
  readonly mechanisms: Mechanisms;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly record: UndoRecord;
  /** `injecting`: an earlier attempt may have landed. */
  readonly state: JournaledLease['state'];
  /** When the request was received, in milliseconds since boot. */
  readonly begunMs: number;
}

/**
 * The one way a lease is put in force: announced in the journal, injected, read back, acknowledged in the journal with the deadline that
 * counts from then.
 */
export async function injectLease(options: InjectLeaseOptions): Promise<InjectReport> {
  const { clock, context, journal, record } = options;
  const leaseId = record.lease.lease_id;
  const now = () => new Date(clock.wallMs()).toISOString();
  const mechanism = options.mechanisms[record.lease.mechanism];
  const repeated = options.state === 'injecting';
  await journal.append({ kind: 'injecting', lease_id: leaseId, at: now() });
  await boundary('agent.before-inject');
  try {
    await mechanism.inject(context, record, { repeated });
  } catch (error) {
    // A first attempt that found another target than the record's has changed nothing; what is there is not ours to undo.
    if (!repeated && error instanceof MayhemError && error.code === 'target.drift') {
      await journal.append({ kind: 'refused', lease_id: leaseId, at: now(), problem: error.message });
    }
    throw error;
  }
  await boundary('agent.after-inject');
  const reading = await mechanism.verifyInjected(context, record);
  const wallMs = clock.wallMs();
  const bootMs = clock.bootMs();
  const proof: Proof = { stage: 'injected', at: new Date(wallMs).toISOString(), ...reading };
  const report: InjectReport = {
    lease_id: leaseId,
    outcome: reading.outcome === 'expired' ? 'not_observed' : reading.outcome,
    injected_at: proof.at,
    deadline: new Date(wallMs + record.lease.duration_ms).toISOString(),
    inject_ms: Math.round(bootMs - options.begunMs),
    proof,
  };
  const deadlineBootMs = bootMs + record.lease.duration_ms;
  await journal.append({ kind: 'injected', lease_id: leaseId, at: proof.at, report, deadline_boot_ms: deadlineBootMs });
  await boundary('agent.after-proof');
  return report;
}
