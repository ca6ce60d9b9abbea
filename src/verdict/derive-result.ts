import { isClean } from '../model/lease.js';
import type { Reason, RunResult, RunStatus, Verdict } from '../model/run.js';
import type { VerdictFacts } from './facts.js';
import { judgeCriteria } from './judge-criteria.js';
import type { Judgement } from './judge-criteria.js';
import { measuresOf } from './measures.js';
import type { Measures } from './measures.js';
import { reasonsOf } from './reasons.js';

const UNDECIDED_CODES = [
  'aborted',
  'bypassed',
  'ended_early',
  'not_observed',
  'inconclusive',
  'not_started',
  'baseline_broken',
] as const satisfies readonly Reason['code'][];

/**
 * The result of a run, from its facts alone: the same rows always give the same result. The verdict is the first that applies of:
 * something left behind or not proven gone → fail; aborted, a fault that was not there as planned, a broken baseline → undecided;
 * a criterion false → fail; an observation missing or nothing to judge by → undecided; pass. `reasons` lists all that apply.
 */
export function deriveResult(facts: VerdictFacts): RunResult {
  const measures = measuresOf(facts);
  const judgement = judgeCriteria({ plan: facts.run.plan, measures });
  const reasons = reasonsOf({ facts, measures, judgement });
  return {
    run_id: facts.run.run_id,
    plan_digest: facts.run.plan.digest,
    status: facts.run.status ?? statusOf(facts),
    verdict: verdictOf({ reasons, judgement }),
    reasons,
    criteria: judgement.criteria,
    faults: facts.faults.map((fault) => ({ ...fault })),
    observations: observationsOf(facts, measures),
    wall_s: Math.round((Date.parse(facts.run.ended_at) - Date.parse(facts.run.started_at)) / 100) / 10,
    problem: facts.run.problem,
  };
}

function verdictOf(options: { readonly reasons: readonly Reason[]; readonly judgement: Judgement }): Verdict {
  const has = (code: Reason['code']): boolean => options.reasons.some((reason) => reason.code === code);
  if (has('residue')) return 'fail';
  if (UNDECIDED_CODES.some(has)) return 'undecided';
  if (options.judgement.holds === false) return 'fail';
  return options.judgement.holds === true && options.reasons.length === 0 ? 'pass' : 'undecided';
}

/**
 * How a run ended: failed when something is left behind; aborted when that was asked; failed when it had a problem, a check failed,
 * or a fault was not started or not observed; else completed.
 */
export function statusOf(facts: VerdictFacts): RunStatus {
  const left = facts.faults.some((fault) => fault.undo === 'residue' || fault.undo === 'unproven');
  if (left) return 'failed';
  if (facts.run.aborted) return 'aborted';
  const missed = facts.faults.some((fault) => fault.injection === 'not_started' || fault.injection === 'not_observed');
  return facts.run.problem !== null || missed || facts.checks.some((check) => !check.passed) ? 'failed' : 'completed';
}

/** Sources are steady_state entries and planned checks; collected are those that measured what they should. */
function observationsOf(facts: VerdictFacts, measures: Measures): RunResult['observations'] {
  const checks = facts.run.plan.steps.filter((step) => step.kind === 'check');
  const evaluated = checks.filter((step) => facts.checks.some((check) => check.step_id === step.step_id));
  const entries = measures.entries.filter(({ coverage }) => coverage.sufficient);
  return { collected: evaluated.length + entries.length, planned: checks.length + measures.entries.length };
}

/** Whether a fault counts as undone: nothing of it is left, or it was kept on purpose. */
export function isUndone(undo: string): boolean {
  return undo === 'kept_faulted' || isClean(undo as Parameters<typeof isClean>[0]);
}
