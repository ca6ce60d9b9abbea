import { MayhemError } from '../model/error.js';
import type { Decision } from '../model/policy.js';

const REMEDIES: Readonly<Record<string, string>> = {
  deny_list: 'take the fault out of the drill, or out of policy.deny_faults',
  allow_list: 'take the fault out of the drill, or add it to policy.allow_faults',
  default_deny: 'add the fault to policy.allow_faults if you mean it',
  risk_ceiling: 'raise risk_ceiling where it is set, or take the fault out of the drill',
  critical_opt_in: 'give the missing yeses, or take the fault out of the drill',
  'budget.duration': 'shorten the fault, or raise blast_radius.max_duration_per_fault_s',
  'budget.services': 'lower config.max_faults, run fewer in parallel, or raise blast_radius.max_services_pct',
};

/** The refusal that decisions amount to: safety.refused naming every one with its remedy, or null when all allow. */
export function refusalOf(decisions: readonly Decision[]): MayhemError | null {
  const refused = decisions.filter((decision) => !decision.allowed);
  if (refused.length === 0) return null;
  const lines = refused.map(({ gate, step_id: step, fault, reason }) =>
    step === null ? `${gate}: ${reason}` : `${gate}: ${step} (${fault}): ${reason}`,
  );
  const remedies = [...new Set(refused.map(({ gate }) => REMEDIES[gate] ?? `satisfy the gate ${gate}`))];
  return new MayhemError('safety.refused', `the plan is refused by ${lines.join('; ')}`, {
    hint: remedies.join('; '),
    details: { decisions: refused },
  });
}
