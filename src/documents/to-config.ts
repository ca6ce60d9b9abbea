import type { Config } from '../model/config.js';

/** The configuration as the program uses it, from checked values by dotted key. */
export function toConfig(valueOf: (key: string) => unknown): Config {
  const get = <T>(key: string): T => valueOf(key) as T;
  const database = get<string>('storage.database');
  return {
    policy: {
      allow_faults: get('policy.allow_faults'),
      deny_faults: get('policy.deny_faults'),
      risk_ceiling: get('policy.risk_ceiling'),
      allow_critical: get('policy.allow_critical'),
      critical_fault_acks: get('policy.critical_fault_acks'),
      max_services_pct: get('blast_radius.max_services_pct'),
      max_hosts: get('blast_radius.max_hosts'),
      max_concurrent_faults: get('blast_radius.max_concurrent_faults'),
      max_duration_per_fault_s: get('blast_radius.max_duration_per_fault_s'),
    },
    database_url: database === 'embedded' ? null : database,
    temporal: {
      address: get('temporal.address'),
      namespace: get('temporal.namespace'),
      task_queue: get('temporal.task_queue'),
    },
    agent_grace_ms: get('agent.grace'),
    recovery_grace_ms: get('recovery_grace'),
    log_level: get('log_level'),
    protect: {
      labels: get('protect.labels'),
      names: get('protect.names'),
      projects: get('protect.projects'),
    },
  };
}
