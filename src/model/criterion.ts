export type Criterion =
  | { readonly type: 'status'; readonly source_id: string; readonly expected: number }
  | { readonly type: 'latency'; readonly source_id: string; readonly lt_ms: number }
  | { readonly type: 'boolean'; readonly source_id: string; readonly value: boolean };

export interface Success {
  readonly require_all: boolean;
  readonly criteria: readonly Criterion[];
}

/** `passed` null: its measure was not observed. */
export interface CriterionResult {
  readonly type: Criterion['type'];
  readonly source: string;
  readonly passed: boolean | null;
  readonly expected: string;
  readonly measured: string | null;
}
