import type { Mechanisms } from '../mechanisms/mechanisms.js';
import type { ActContext, Mechanism, Reading } from '../mechanisms/mechanism.js';
import type { Clock } from '../model/clock.js';
import type {
  InjectionOutcome,
  InjectReport,
  Proof,
  ProofOutcome,
  ReleasedBy,
  UndoneOutcome,
  UndoRecord,
  UndoReport,
} from '../model/lease.js';
import { isClean } from '../model/lease.js';

/** An inject that was never acknowledged may still land: its undo counts only when it still holds this much later. */
const SETTLE_MS = 2_000;

export interface UndoLeaseOptions {
  readonly context: ActContext;
  readonly mechanisms: Mechanisms;
  readonly clock: Clock;
  readonly record: UndoRecord;
  /** How far inject came: it was never begun, was begun and not acknowledged, or was acknowledged. */
  readonly reached: 'armed' | 'injecting' | 'injected';
  readonly injectReport: InjectReport | null;
  /** Proofs of earlier attempts to undo: the first look before undo is the one that tells whether the fault held. */
  readonly earlier: UndoReport | null;
  readonly releasedBy: ReleasedBy;
  readonly settle: (ms: number) => Promise<void>;
}

/**
 * The one way a lease is ended: read whether the fault is still in force, undo it, prove that it is gone. Works from the undo
 * record alone and may be called any number of times. Never throws for what the target or engine does: the report says it.
 */
export async function undoLease(options: UndoLeaseOptions): Promise<UndoReport> {
  const { record, clock, injectReport } = options;
  const begun = clock.bootMs();
  const now = () => new Date(clock.wallMs()).toISOString();
  const report = (outcome: UndoneOutcome, proofs: readonly Proof[], problem: string | null): UndoReport => ({
    lease_id: record.lease.lease_id,
    outcome,
    injection: injectionOf(options, proofs),
    released_by: beforeUndo(proofs) === 'expired' ? 'expiry' : options.releasedBy,
    injected_at: injectReport?.injected_at ?? null,
    undone_at: now(),
    undo_ms: Math.round(clock.bootMs() - begun),
    proofs,
    problem,
  });
  if (options.reached === 'armed') {
    return report(
      'restored',
      [{ stage: 'undone', outcome: 'restored', at: now(), read: { never_injected: true } }],
      null,
    );
  }

  const mechanism = options.mechanisms[record.lease.mechanism];
  const proofs: Proof[] = [...(options.earlier?.proofs.filter((proof) => proof.stage === 'before_undo') ?? [])];
  let undoCalled = false;
  try {
    if (proofs.length === 0) {
      const before = await lookBefore(mechanism, options.context, record);
      proofs.push({ stage: 'before_undo', at: now(), ...before });
    }
    await mechanism.undo(options.context, record);
    undoCalled = true;
    let undone = await mechanism.verifyUndone(options.context, record);
    if (options.reached === 'injecting' && isClean(undone.outcome)) {
      await options.settle(SETTLE_MS);
      await mechanism.undo(options.context, record);
      undone = await mechanism.verifyUndone(options.context, record);
    }
    proofs.push({ stage: 'undone', at: now(), ...undone });
    return report(
      undone.outcome,
      proofs,
      undone.outcome === 'residue' ? 'the fault is still there after its undo' : null,
    );
  } catch (error) {
    // A look that saw nothing, before an undo that did nothing, is made again at the next attempt.
    const kept = undoCalled ? proofs : proofs.filter((proof) => proof.outcome !== 'inconclusive');
    return report('unproven', kept, error instanceof Error ? error.message : String(error));
  }
}

/** A look that fails must not keep the undo from being done: it has then seen nothing. */
async function lookBefore(
  mechanism: Mechanism,
  context: ActContext,
  record: UndoRecord,
): Promise<Reading<ProofOutcome>> {
  try {
    return await mechanism.verifyInjected(context, record);
  } catch (error) {
    return { outcome: 'inconclusive', read: { problem: error instanceof Error ? error.message : String(error) } };
  }
}

/** What the proof at start and the one just before undo say together. */
function injectionOf(options: UndoLeaseOptions, proofs: readonly Proof[]): InjectionOutcome {
  if (options.reached === 'armed') return 'not_started';
  const before = beforeUndo(proofs);
  const start = options.injectReport?.outcome;
  // Begun but never acknowledged: nobody saw it start.
  if (start === undefined) return before === 'not_observed' ? 'not_observed' : 'inconclusive';
  if (start !== 'confirmed') return start;
  if (before === 'not_observed') return 'ended_early';
  return before === 'confirmed' || before === 'expired' ? 'confirmed' : 'inconclusive';
}

function beforeUndo(proofs: readonly Proof[]): ProofOutcome | undefined {
  return proofs.find((proof) => proof.stage === 'before_undo')?.outcome as ProofOutcome | undefined;
}
