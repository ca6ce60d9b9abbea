import { digestOf } from '../model/digest.js';
import type { FaultEntry } from '../model/fault.js';
import type { Plan } from '../model/plan.js';

/**
 * The digest of a plan: SHA-256 over the canonical form of all its members but the digest, and of the data of the catalog entries
 * it uses. The plan holds no file, folder, project name or clock, so that the same documents give the same digest anywhere.
 */
export function digestPlan(options: {
  readonly plan: Omit<Plan, 'digest'>;
  readonly catalog: readonly FaultEntry[];
}): string {
  const used = new Set(options.plan.steps.flatMap((step) => (step.kind === 'fault' ? [step.fault] : [])));
  const entries = options.catalog
    .filter((entry) => used.has(entry.id))
    .map(({ id, capMs, risk, params, undoOutcomes }) => ({ id, capMs, risk, params, undoOutcomes }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  // A plan that was read back may carry its old digest: it is not part of itself.
  const { digest: _, ...content } = options.plan as Plan;
  return digestOf({ plan: content, catalog: entries });
}
