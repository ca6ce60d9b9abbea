export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof RISKS)[number];

/** How two risks compare: negative when `a` is the lower. */
export function compareRisk(a: Risk, b: Risk): number {
  return RISKS.indexOf(a) - RISKS.indexOf(b);
}

/** Kinds of node a fault accepts as target. */
export type TargetKind = 'container' | 'service' | 'process' | 'host' | 'external_dependency' | 'pod' | 'k8s_node';

/** Where a fault runs: on container engines (and hosts), or through the Kubernetes API. */
export type Lane = 'container' | 'k8s';

/** One row of a fault's plain parameter table; zod schemas and help are made from it at the edge. */
export interface ParamSpec {
  readonly name: string;
  readonly type: 'integer' | 'number' | 'percent' | 'string' | 'duration' | 'bytes' | 'boolean';
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly default?: string | number | boolean;
  readonly values?: readonly string[];
  readonly help: string;
}

/** What a proven undo of a fault may end as. */
export type AllowedOutcome = 'restored' | 'replaced';

/** One fault of the catalog: data only. What it does is the mechanism's. */
export interface FaultEntry {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly lane: Lane;
  readonly category: string;
  readonly risk: Risk;
  /** Longest duration, in milliseconds. */
  readonly capMs: number;
  readonly kinds: readonly TargetKind[];
  readonly undoOutcomes: readonly AllowedOutcome[];
  readonly params: readonly ParamSpec[];
  readonly mechanism: MechanismId;
  /** Values for the mechanism's parameters, from the fault's own (already checked and defaulted). */
  readonly mechanismParams: (params: ParamValues) => ParamValues;
  readonly effect: string;
  /** Parameters and hold for a trial by the catalog's own tests and by random drills. */
  readonly sample: { readonly params: ParamValues; readonly durationMs: number };
}

export type ParamValues = { readonly [name: string]: string | number | boolean | readonly string[] };

/** The ways of breaking things; one folder each under mechanisms/. */
export type MechanismId = 'firewall' | 'pause' | 'stress';
