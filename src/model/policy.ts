import type { Risk } from './fault.js';

/** The policy in force for a plan: what the gates decide by. Part of the plan's digest. */
export interface Policy {
  readonly allow_faults: readonly string[] | null;
  readonly deny_faults: readonly string[];
  readonly risk_ceiling: Risk | null;
  readonly allow_critical: boolean;
  readonly critical_fault_acks: readonly string[];
  readonly max_services_pct: number;
  readonly max_hosts: number;
  readonly max_concurrent_faults: number;
  readonly max_duration_per_fault_s: number;
}

/** What one gate decided about one fault (or about the whole plan, when `fault` is null). Recorded, allowed or not. */
export interface Decision {
  readonly gate: string;
  readonly step_id: string | null;
  readonly fault: string | null;
  readonly allowed: boolean;
  readonly reason: string;
}
