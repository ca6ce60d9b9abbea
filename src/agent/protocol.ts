import type { ContainerState } from '../engines/engine.js';
import type { InjectReport, LeaseSpec, ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import type { AssessedProblem } from './assess-leases.js';
import type { JournaledLease } from './journal-entry.js';

/** Raised when a request or answer changes in a way the other side would misread. */
export const PROTOCOL_VERSION = 1;

/** What the agent answers to `hello`. */
export interface AgentFacts {
  readonly protocol: number;
  readonly version: string;
  readonly engine_id: string;
  readonly engine_kind: 'docker';
  readonly engine_version: string | null;
  readonly installation_id: string;
  readonly pid: number;
  readonly started_at: string;
  readonly journal_damage: readonly string[];
}

/** Every request of the socket, by method: what it carries and what comes back. One JSON object a line, either way. */
export interface AgentMethods {
  hello: { params: { protocol: number }; result: AgentFacts };
  containers: { params: { labels?: readonly string[] }; result: readonly ContainerState[] };
  assess: { params: { specs: readonly LeaseSpec[] }; result: readonly (AssessedProblem | null)[] };
  prepare: { params: { spec: LeaseSpec }; result: UndoRecord };
  arm: { params: { record: UndoRecord }; result: null };
  inject: { params: { lease_id: string }; result: InjectReport };
  undo: { params: { lease_id: string; released_by: ReleasedBy; record: UndoRecord | null }; result: UndoReport };
  sweep_marks: { params: { released_by: ReleasedBy }; result: null };
  recheck: { params: { lease_id: string }; result: UndoReport };
  keep: { params: { lease_id: string }; result: null };
  open_leases: { params: Record<string, never>; result: readonly JournaledLease[] };
  lease: { params: { lease_id: string }; result: JournaledLease | null };
  unacknowledged: { params: Record<string, never>; result: readonly UndoReport[] };
  acknowledge: { params: { lease_ids: readonly string[] }; result: null };
  undo_all: { params: { released_by: ReleasedBy }; result: readonly UndoReport[] };
}
export type AgentMethod = keyof AgentMethods;

export interface AgentRequest<M extends AgentMethod = AgentMethod> {
  readonly id: number;
  readonly method: M;
  readonly params: AgentMethods[M]['params'];
}

export type AgentAnswer =
  | { readonly id: number; readonly result: unknown }
  | {
      readonly id: number;
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly hint?: string;
        readonly details?: Readonly<Record<string, unknown>>;
      };
    };

/** `$MAYHEM_HOME/agent-<8 characters of the engine id>.sock`. */
export function socketNameOf(engineId: string): string {
  return `agent-${engineId.slice(0, 8)}.sock`;
}
