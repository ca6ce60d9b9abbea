/** What the person or program that started a run asked for, beside the plan. Stored with the run. */
export interface RunRequest {
  readonly engine_id: string;
  /** Compose project whose containers are meant; null: containers are looked up by name alone. */
  readonly project: string | null;
  /** user@host, for the record. */
  readonly actor: string;
  readonly allow_critical: boolean;
  readonly ignore_baseline: boolean;
  readonly dry_run: boolean;
  readonly agent_grace_ms: number;
  readonly recovery_grace_ms: number;
  readonly protect: {
    readonly labels: readonly string[];
    readonly names: readonly string[];
    readonly projects: readonly string[];
  };
}
