/** A policy known by name: values for keys of the configuration, and the environments it is bound to. */
export interface NamedPolicy {
  readonly values: Readonly<Record<string, unknown>>;
  /** null: bound to none. */
  readonly environments: readonly string[] | null;
}

export const namedPolicies: Readonly<Record<string, NamedPolicy>> = {
  default: { values: policy(null, 50, 2, 3, 300), environments: null },
  strict: { values: policy('medium', 25, 1, 1, 60), environments: null },
  permissive: { values: policy(null, 100, 10, 10, 600), environments: null },
  staging: { values: policy('high', 50, 2, 3, 300), environments: ['staging', 'dev'] },
  production: { values: policy('medium', 25, 1, 1, 300), environments: ['production'] },
};

function policy(
  riskCeiling: string | null,
  servicesPct: number,
  hosts: number,
  faults: number,
  secondsPerFault: number,
): Readonly<Record<string, unknown>> {
  return {
    'policy.risk_ceiling': riskCeiling,
    'blast_radius.max_services_pct': servicesPct,
    'blast_radius.max_hosts': hosts,
    'blast_radius.max_concurrent_faults': faults,
    'blast_radius.max_duration_per_fault_s': secondsPerFault,
  };
}
