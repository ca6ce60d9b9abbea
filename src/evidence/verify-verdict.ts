import { digestOf } from '../model/digest.js';
import { canonicalJson } from '../model/json.js';
import type { RunResult, RunStatus } from '../model/run.js';
import { deriveResult } from '../verdict/derive-result.js';
import { endOf } from './fold-events.js';
import type { RunEvidence } from './run-evidence.js';
import { verdictFactsOf } from './verdict-facts.js';
import type { VerifyProblem } from './verify-problem.js';

const STATUS_OF_END: { readonly [kind: string]: RunStatus } = {
  'run.completed': 'completed',
  'run.failed': 'failed',
  'run.aborted': 'aborted',
};

/** Computes the result of a run that has ended once more from its rows and compares it with what is stored. */
export function verifyVerdict(evidence: RunEvidence): readonly VerifyProblem[] {
  const { run } = evidence;
  const end = endOf(evidence.events);
  const where = `runs ${run.run_id}`;
  if (end === undefined) {
    return run.result === null ? [] : [{ what: 'there is a result, but the run has not ended', where }];
  }
  if (run.result === null) return [{ what: 'the result was removed', where }];
  const problems: VerifyProblem[] = [];
  if (digestOf(run.result) !== end.payload['result_digest']) problems.push({ what: 'the result was edited', where });
  const again = deriveResult(
    verdictFactsOf({
      evidence,
      untilSeq: end.seq,
      end: {
        ended_at: end.at,
        aborted: end.payload['aborted'] === true,
        problem: (end.payload['problem'] ?? null) as RunResult['problem'],
        status: STATUS_OF_END[end.kind] ?? run.status,
      },
    }),
  );
  problems.push(...resultProblems(run.result, again, where), ...criteriaProblems(evidence, again));
  return problems;
}

function resultProblems(stored: RunResult, again: RunResult, where: string): readonly VerifyProblem[] {
  return (Object.keys(again) as (keyof RunResult)[])
    .filter((name) => canonicalJson(stored[name] ?? null) !== canonicalJson(again[name] ?? null))
    .map((name) => ({
      what: `${name} of the result is ${shown(stored[name])}, the rows give ${shown(again[name])}`,
      where,
    }));
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}

function criteriaProblems(evidence: RunEvidence, again: RunResult): readonly VerifyProblem[] {
  const count = Math.max(evidence.criteria.length, again.criteria.length);
  return Array.from({ length: count }, (_, position) => position)
    .filter(
      (position) =>
        canonicalJson(evidence.criteria[position] ?? null) !== canonicalJson(again.criteria[position] ?? null),
    )
    .map((position) => ({ what: 'this criterion is not what the rows give', where: `criteria ${position}` }));
}
