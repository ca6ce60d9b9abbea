import type { Blueprint } from '../model/blueprint.js';
import type { Drill } from '../model/drill.js';
import { type MayhemError, MayhemErrors } from '../model/error.js';
import type { FaultEntry } from '../model/fault.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import type { Plan } from '../model/plan.js';
import type { Policy } from '../model/policy.js';
import { decisionRefsOf } from './decision-refs.js';
import { digestPlan } from './digest-plan.js';
import { blockErrors, checkFaults, layoutErrors, resolveNames } from './drill-errors.js';
import { layOutSteps } from './lay-steps.js';
import { sourceIdsOf } from './source-ids.js';
import { toStep } from './to-step.js';

export interface CompiledPlan {
  readonly plan: Plan;
  readonly notices: readonly Notice[];
}

interface CompileOptions {
  readonly drill: Drill;
  readonly blueprint: Blueprint;
  readonly policy: Policy;
  readonly catalog: readonly FaultEntry[];
}

/**
 * Compiles a drill against a stack into its frozen plan. Pure: the same input gives the same plan and digest. Throws MayhemErrors
 * with every problem at the place of what was authored: names the stack has not, faults or parameters the catalog has not, durations
 * above a cap, two steps with one id, no fault at all.
 */
export function compilePlan(options: CompileOptions): CompiledPlan {
  const { drill, blueprint, policy, catalog } = options;
  const errors: MayhemError[] = [];
  const services = resolveNames({ drill, blueprint, errors });
  const checked = checkFaults({ drill, catalog, errors });
  errors.push(...blockErrors({ drill, services }));

  const containers = new Map(drill.containers.map((container) => [container.name, container]));
  const laid = layOutSteps({ blocks: drill.execution, faultsOf: (name) => containers.get(name)?.faults ?? [] });
  errors.push(...layoutErrors({ drill, laid }));
  if (errors.length > 0) throw new MayhemErrors(errors);

  const steps = laid.map((step) => toStep({ step, drill, services, checked }));
  const content: Omit<Plan, 'digest'> = {
    schema: 'mayhem/plan/v1',
    kind: 'drill',
    name: drill.name,
    hypothesis: drill.hypothesis,
    seed: null,
    config: drill.config,
    blocks: drill.execution.map((block, index) => ({
      block: index,
      mode: block.kind === 'parallel' ? 'parallel' : 'sequential',
    })),
    steps,
    steady_state: drill.steady_state,
    success: drill.success,
    blueprint,
    policy,
    decision_refs: decisionRefsOf({ hasCriteria: (drill.success?.criteria.length ?? 0) > 0 }),
  };
  const plan: Plan = { ...content, digest: digestPlan({ plan: content, catalog }) };
  return { plan, notices: criterionNotices(plan) };
}

function criterionNotices(plan: Plan): readonly Notice[] {
  const known = sourceIdsOf({ steps: plan.steps, steadyState: plan.steady_state });
  return (plan.success?.criteria ?? [])
    .filter((criterion) => !known.has(criterion.source_id))
    .map((criterion): Notice => {
      const near = nearest({ word: criterion.source_id, candidates: known });
      const hint = near === null ? '' : `; did you mean "${near}"?`;
      return {
        level: 'warning',
        message: `the criterion ${criterion.type}:${criterion.source_id} names a source this drill has not${hint}`,
      };
    });
}
