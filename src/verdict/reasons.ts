import type { CriterionResult } from '../model/criterion.js';
import type { Reason } from '../model/run.js';
import type { FaultFact, VerdictFacts } from './facts.js';
import { criterionText } from './judge-criterion.js';
import type { Judgement } from './judge-criteria.js';
import type { Measures } from './measures.js';

const INJECTION_TEXT = {
  ended_early: 'ended before its deadline',
  not_observed: 'was injected, but the target shows no effect',
  inconclusive: 'could not be proven on the target',
  bypassed: 'was bypassed',
  not_started: 'was never started',
} as const;

/** Everything that stands between a run and `pass`, gravest first. */
export function reasonsOf(options: {
  readonly facts: VerdictFacts;
  readonly measures: Measures;
  readonly judgement: Judgement;
}): readonly Reason[] {
  const { facts, measures, judgement } = options;
  return [
    ...facts.faults.flatMap(residueReason),
    ...(facts.run.aborted ? [{ code: 'aborted', message: 'the run was aborted' } as const] : []),
    ...facts.faults.flatMap((fault) => injectionReason(fault, allowedOutcomes(facts, fault))),
    ...baselineReason(facts, measures),
    ...(judgement.holds === false ? failedCriteria(judgement.criteria, measures) : []),
    ...missingReasons(facts, measures, judgement),
    ...(judgement.criteria.length === 0
      ? [{ code: 'no_success_block', message: 'the drill declares no success criteria' } as const]
      : []),
  ];
}

function place(fault: FaultFact): string {
  return `${fault.fault} on ${fault.target}`;
}

function residueReason(fault: FaultFact): readonly Reason[] {
  switch (fault.undo) {
    case 'residue':
      return [{ code: 'residue', message: `${place(fault)}: something of the fault was left after its undo` }];
    case 'unproven':
      return [{ code: 'residue', message: `${place(fault)}: its undo was not proven` }];
    default:
      return [];
  }
}

function allowedOutcomes(facts: VerdictFacts, fault: FaultFact): readonly string[] {
  const step = facts.run.plan.steps.find((candidate) => candidate.step_id === fault.step_id);
  return step?.kind === 'fault' ? step.undo.outcomes : [];
}

function injectionReason(fault: FaultFact, allowed: readonly string[]): readonly Reason[] {
  if (fault.injection !== 'confirmed') {
    return [{ code: fault.injection, message: `${place(fault)} ${INJECTION_TEXT[fault.injection]}` }];
  }
  const ended = fault.undo;
  if ((ended === 'replaced' || ended === 'gone') && !allowed.includes(ended)) {
    return [{ code: 'inconclusive', message: `${place(fault)}: the target was ${ended} when the fault ended` }];
  }
  return [];
}

/** The steady state before injection: as the run judged it, else as the samples say. */
function baselineReason(facts: VerdictFacts, measures: Measures): readonly Reason[] {
  const broken =
    facts.baseline === null
      ? measures.entries
          .filter(({ entry }) => measures.bySource.get(`${entry.id}.passed.before`)?.value === false)
          .map(({ entry }) => entry.id)
      : facts.baseline.passed
        ? []
        : facts.baseline.broken;
  if (broken.length === 0 && facts.baseline?.passed !== false) return [];
  const which = broken.length === 0 ? 'the steady state' : broken.join(', ');
  return [{ code: 'baseline_broken', message: `${which} did not hold before anything was injected` }];
}

function failedCriteria(criteria: readonly CriterionResult[], measures: Measures): readonly Reason[] {
  return criteria
    .filter((result) => result.passed === false)
    .map((result) => {
      const note = measures.bySource.get(result.source)?.note;
      const detail = note === undefined || note === 'check' ? '' : `: ${note}`;
      return { code: 'criterion_failed', message: `${result.type}:${result.source} ${criterionText(result)}${detail}` };
    });
}

function missingReasons(facts: VerdictFacts, measures: Measures, judgement: Judgement): readonly Reason[] {
  const inForce = facts.faults.some((fault) => fault.injected_at !== null);
  const gaps = inForce ? measures.entries.filter(({ coverage }) => !coverage.sufficient) : [];
  const saidByGap = (source: string): boolean =>
    !/\.(before|after)$/.test(source) && gaps.some(({ entry }) => source.startsWith(`${entry.id}.`));
  const undecided = judgement.holds === true ? [] : judgement.criteria.filter((result) => result.passed === null);
  return [
    ...gaps.map(
      ({ entry, coverage }): Reason => ({
        code: 'observation_missing',
        message: `${entry.id} during faults: ${coverage.collected} of ${coverage.expected} samples`,
      }),
    ),
    ...undecided
      .filter((result) => !saidByGap(result.source))
      .map((result): Reason => {
        const note = measures.bySource.get(result.source)?.note;
        return {
          code: 'observation_missing',
          message: `${result.source} was not observed${note === undefined ? '' : `: ${note}`}`,
        };
      }),
  ];
}
