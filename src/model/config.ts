import type { Policy } from './policy.js';

/** Mayhem's configuration with every default filled in, and where each value came from. */
export interface Config {
  readonly policy: Policy;
  /** null: embedded. */
  readonly database_url: string | null;
  readonly temporal: {
    /** null: embedded. */
    readonly address: string | null;
    readonly namespace: string;
    readonly task_queue: string;
  };
  readonly agent_grace_ms: number;
  readonly recovery_grace_ms: number;
  readonly log_level: 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
  readonly protect: {
    readonly labels: readonly string[];
    readonly names: readonly string[];
    readonly projects: readonly string[];
  };
}

export interface ConfigOrigin {
  readonly key: string;
  readonly value: unknown;
  /** `default`, a file with its line, `environment NAME`, `--set`. */
  readonly origin: string;
}
