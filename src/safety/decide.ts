import { findFaultIn } from '../faults/catalog.js';
import { formatDuration } from '../model/duration.js';
import { compareRisk, type FaultEntry } from '../model/fault.js';
import type { FaultStep, Plan } from '../model/plan.js';
import type { Decision } from '../model/policy.js';
import { peakServices } from './peak-services.js';

/** Faults that no plan may have unless the allow list names them. */
const DENIED_BY_DEFAULT: readonly string[] = ['node.reboot'];

interface Gate {
  readonly name: string;
  /** Whether the fault may pass, and why. */
  readonly decide: (step: FaultStep) => { readonly allowed: boolean; readonly reason: string };
}

/**
 * Passes a plan through the static gates, in their order: deny list, allow list, default deny, risk ceiling, critical opt-in,
 * budgets. Pure. Every gate's decision on every fault is in the answer, allowed or not, then those on the plan as a whole.
 */
export function decide(options: {
  readonly plan: Plan;
  /** The third of the three yeses to critical faults: `--allow-critical`. */
  readonly allowCritical: boolean;
  readonly catalog: readonly FaultEntry[];
}): Decision[] {
  const { plan } = options;
  const faults = plan.steps.filter((step) => step.kind === 'fault');
  const gates = faultGates(options);
  const perFault = faults.flatMap((step) =>
    gates.map(
      (gate): Decision => ({ gate: gate.name, step_id: step.step_id, fault: step.fault, ...gate.decide(step) }),
    ),
  );
  return [...perFault, ...planDecisions(plan)];
}

/** Faults that may be in force at once: the smaller of the drill's max_faults (0: no limit) and the policy's max_concurrent_faults. */
export function effectiveFaultCap(plan: Plan): number {
  const { max_faults: ofDrill } = plan.config;
  const { max_concurrent_faults: ofPolicy } = plan.policy;
  return ofDrill === 0 ? ofPolicy : Math.min(ofDrill, ofPolicy);
}

function faultGates(options: {
  readonly plan: Plan;
  readonly allowCritical: boolean;
  readonly catalog: readonly FaultEntry[];
}): readonly Gate[] {
  const { policy, config } = options.plan;
  // Lists may name faults by alias; steps carry ids.
  const idsOf = (names: readonly string[]) =>
    new Set(names.map((name) => findFaultIn(options.catalog, name)?.id ?? name));
  const denied = idsOf(policy.deny_faults);
  const allowed = policy.allow_faults === null ? null : idsOf(policy.allow_faults);
  const acknowledged = idsOf(policy.critical_fault_acks);
  const ofPolicy = policy.risk_ceiling;
  const ceiling = ofPolicy !== null && compareRisk(ofPolicy, config.risk_ceiling) < 0 ? ofPolicy : config.risk_ceiling;
  const setBy = ceiling === config.risk_ceiling ? 'drill' : 'policy';

  return [
    {
      name: 'deny_list',
      decide: ({ fault }) =>
        denied.has(fault) ? no(`policy.deny_faults names ${fault}`) : yes(`${fault} is not in policy.deny_faults`),
    },
    {
      name: 'allow_list',
      decide: ({ fault }) => {
        if (allowed === null) return yes('policy.allow_faults is not set: the whole catalog');
        return allowed.has(fault)
          ? yes(`policy.allow_faults names ${fault}`)
          : no(`policy.allow_faults does not name ${fault}`);
      },
    },
    {
      name: 'default_deny',
      decide: ({ fault }) => {
        if (!DENIED_BY_DEFAULT.includes(fault)) return yes(`${fault} is not denied by default`);
        return allowed?.has(fault) === true
          ? yes(`policy.allow_faults names ${fault}`)
          : no(`${fault} is denied unless policy.allow_faults names it`);
      },
    },
    {
      name: 'risk_ceiling',
      decide: ({ risk }) =>
        compareRisk(risk, ceiling) <= 0
          ? yes(`risk ${risk} is within the ceiling ${ceiling} of the ${setBy}`)
          : no(`risk ${risk} is above the ceiling ${ceiling} of the ${setBy}`),
    },
    {
      name: 'critical_opt_in',
      decide: ({ risk, fault }) => {
        if (risk !== 'critical') return yes(`risk ${risk} needs no opt-in`);
        const missing = [
          ...(policy.allow_critical ? [] : ['policy.allow_critical']),
          ...(acknowledged.has(fault) ? [] : [`${fault} in policy.critical_fault_acks`]),
          ...(options.allowCritical ? [] : ['--allow-critical']),
        ];
        return missing.length === 0
          ? yes('all three yeses are given')
          : no(`a critical fault also needs ${missing.join(', ')}`);
      },
    },
    {
      name: 'budget.duration',
      decide: ({ duration_ms: ms }) => {
        const most = policy.max_duration_per_fault_s * 1000;
        return ms <= most
          ? yes(`${formatDuration(ms)} is within ${formatDuration(most)} per fault`)
          : no(
              `${formatDuration(ms)} is longer than the ${formatDuration(most)} that blast_radius.max_duration_per_fault_s allows`,
            );
      },
    },
  ];
}

function planDecisions(plan: Plan): readonly Decision[] {
  const { policy } = plan;
  const cap = effectiveFaultCap(plan);
  const total = plan.blueprint.services.length;
  const peak = peakServices({ plan, cap });
  const most = Math.max(1, Math.floor((total * policy.max_services_pct) / 100 + 1e-9));
  const share = `${peak.length} of ${total} services (${peak.join(', ')})`;
  const onPlan = (gate: string, decided: { allowed: boolean; reason: string }): Decision => ({
    gate,
    step_id: null,
    fault: null,
    ...decided,
  });
  return [
    onPlan(
      'budget.services',
      peak.length <= most
        ? yes(`at most ${share} are faulted at once; ${most} may be (${policy.max_services_pct} %)`)
        : no(
            `${share} would be faulted at once; blast_radius.max_services_pct ${policy.max_services_pct} allows ${most}`,
          ),
    ),
    onPlan('budget.hosts', yes(`1 host of at most ${policy.max_hosts}`)),
    onPlan('budget.concurrent', yes(`at most ${cap} faults in force at once; more wait for their turn`)),
  ];
}

function yes(reason: string): { readonly allowed: true; readonly reason: string } {
  return { allowed: true, reason };
}
function no(reason: string): { readonly allowed: false; readonly reason: string } {
  return { allowed: false, reason };
}
