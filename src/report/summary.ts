import type { CriterionResult } from '../model/criterion.js';
import type { FaultResult, RunResult } from '../model/run.js';
import { isUndone } from '../verdict/derive-result.js';
import { criterionText } from '../verdict/judge-criterion.js';
import { NO_COLOURS } from './palette.js';
import type { Palette } from './palette.js';
import { printable } from './printable.js';

/**
 * The summary of a run, lines ending in newlines. `dirtyLeases` are those not proven undone at this moment; absent: those the result
 * names. `decisionRefs` counts the plan's governing decision revisions.
 */
export function summary(options: {
  readonly result: RunResult;
  readonly decisionRefs: number;
  readonly dirtyLeases?: readonly string[];
  readonly palette?: Palette;
}): string {
  const { result } = options;
  const palette = options.palette ?? NO_COLOURS;
  const field = (name: string, value: string): string => `${palette.bold(`**${name}**`)}: ${value}`;
  const lines = [
    palette.bold(`# Run ${result.run_id}`),
    field('status', statusText(result.status, palette)),
    ...(result.problem === null
      ? []
      : [field('problem', printable(`${result.problem.code}: ${result.problem.message}`))]),
    field('verdict', verdictText(result.verdict, palette)),
    ...result.reasons.map((reason) => `- ${printable(reason.message)}`),
    field('success criteria', headline(result.criteria)),
    ...result.criteria.map((criterion) => criterionLine(criterion, palette)),
    field('faults', faultsText(result.faults)),
    ...keptLines(result, field),
    field('observations', `${result.observations.collected}/${result.observations.planned} sources collected`),
    field('decisions', `${options.decisionRefs} governing decision revisions (snapshot in the run row)`),
    ...dirtyLines(options.dirtyLeases ?? dirtyOf(result.faults), result.run_id, palette),
    field('wall', `${result.wall_s.toFixed(1)}s`),
    '',
    `run ${result.run_id} — inspect with \`mayhem inspect history ${result.run_id}\``,
  ];
  return `${lines.join('\n')}\n`;
}

function statusText(status: string, palette: Palette): string {
  return status === 'completed' ? palette.green(status) : palette.red(status);
}

function verdictText(verdict: RunResult['verdict'], palette: Palette): string {
  if (verdict === 'pass') return palette.green(verdict);
  return verdict === 'fail' ? palette.red(verdict) : palette.yellow(verdict);
}

/** `ALL PASS`, `2/3 PASS`, or `none declared`. */
export function headline(criteria: readonly CriterionResult[]): string {
  if (criteria.length === 0) return 'none declared';
  const passed = criteria.filter((criterion) => criterion.passed === true).length;
  return passed === criteria.length ? 'ALL PASS' : `${passed}/${criteria.length} PASS`;
}

function criterionLine(criterion: CriterionResult, palette: Palette): string {
  const word = criterion.passed === null ? 'MISSING' : criterion.passed ? 'PASS' : 'FAIL';
  const colour = criterion.passed === null ? palette.yellow : criterion.passed ? palette.green : palette.red;
  return `- ${colour(`[${word}]`)} ${printable(`${criterion.type}:${criterion.source} ${criterionText(criterion)}`)}`;
}

/** `2/2 confirmed, 2/2 undone (2 restored)`; a fault that never reached its target needs no undo and is not counted there. */
export function faultsText(faults: readonly FaultResult[]): string {
  const confirmed = faults.filter((fault) => fault.injection === 'confirmed').length;
  const toUndo = faults.filter((fault) => fault.undo !== 'none');
  const undone = toUndo.filter((fault) => isUndone(fault.undo)).length;
  const others = tally(faults.map((fault) => fault.injection).filter((injection) => injection !== 'confirmed'));
  const outcomes = tally(toUndo.map((fault) => fault.undo));
  return [
    `${confirmed}/${faults.length} confirmed${others === '' ? '' : ` (${others})`}`,
    `${undone}/${toUndo.length} undone${outcomes === '' ? '' : ` (${outcomes})`}`,
  ].join(', ');
}

/** Faults that stay in force on purpose, until somebody ends them. */
function keptLines(result: RunResult, field: (name: string, value: string) => string): readonly string[] {
  const kept = result.faults.filter((fault) => fault.undo === 'kept_faulted');
  if (kept.length === 0) return [];
  const named = kept.map((fault) => printable(`${fault.fault} on ${fault.target}`));
  return [field('kept in force', `${named.join(', ')} (mayhem recover ${result.run_id})`)];
}

function tally(words: readonly string[]): string {
  return [...new Set(words)].map((word) => `${words.filter((other) => other === word).length} ${word}`).join(', ');
}

function dirtyOf(faults: readonly FaultResult[]): readonly string[] {
  return faults
    .filter((fault) => fault.undo === 'residue' || fault.undo === 'unproven')
    .flatMap((fault) => (fault.lease_id === null ? [] : [fault.lease_id]));
}

function dirtyLines(leases: readonly string[], runId: string, palette: Palette): readonly string[] {
  if (leases.length === 0) return [];
  const noun = leases.length === 1 ? 'dirty lease' : 'dirty leases';
  const text = `${leases.length} ${noun} ${leases.join(', ')} (mayhem recover ${runId})`;
  return [`${palette.yellow(palette.bold('**warning**'))}: ${palette.yellow(text)}`];
}
