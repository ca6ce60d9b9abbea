import type { Database } from './database.js';
import { loadEvidence } from './run-evidence.js';
import type { RunEvidence } from './run-evidence.js';
import { verifyChain } from './verify-chain.js';
import type { VerifyProblem, VerifyReport } from './verify-problem.js';
import { verifyRows } from './verify-rows.js';
import { verifyState } from './verify-state.js';
import { verifyVerdict } from './verify-verdict.js';

/**
 * Checks a run's evidence against itself: the hash chain, every row whose digest the history carries, the state tables against the
 * history, completeness, and the verdict computed anew. Pure: rows from any store give the same report.
 */
export function verifyEvidence(evidence: RunEvidence): VerifyReport {
  const problems = [verifyChain, verifyRows, verifyState, verifyVerdict].flatMap((check) => guarded(check, evidence));
  return {
    ok: problems.length === 0,
    checked: {
      events: evidence.events.length,
      steps: evidence.steps.length,
      leases: evidence.leases.length,
      undo_records: evidence.undo_records.length,
      proofs: evidence.proofs.length,
      samples: evidence.samples.length,
      decisions: evidence.decisions.length,
      criteria: evidence.criteria.length,
    },
    problems,
  };
}

/** Rows edited into something that cannot even be read are a finding, not a failure of the check. */
function guarded(
  check: (evidence: RunEvidence) => readonly VerifyProblem[],
  evidence: RunEvidence,
): readonly VerifyProblem[] {
  try {
    return check(evidence);
  } catch (err) {
    const reason = err instanceof Error ? err.message : String(err);
    return [{ what: `rows are damaged beyond reading: ${reason}`, where: `runs ${evidence.run.run_id}` }];
  }
}

/** Checks the stored evidence of a run; see `verifyEvidence`. Throws `run.missing`. */
export async function verifyRun(db: Database, runId: string): Promise<VerifyReport> {
  return verifyEvidence(await loadEvidence(db, runId));
}
