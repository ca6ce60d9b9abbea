import type { Binding } from '../src/model/binding.js';
import { digestOf } from '../src/model/digest.js';
import { leaseIdOf } from '../src/model/ids.js';
import type { InjectReport, LeaseSpec, UndoRecord, UndoReport } from '../src/model/lease.js';
import type { Sample } from '../src/model/observation.js';
import type { FaultStep, Plan } from '../src/model/plan.js';
import type { RunRequest } from '../src/model/run-request.js';

/** The moment all made-up records are counted from. */
export const T0 = Date.parse('2026-03-01T10:00:00.000Z');

/** RFC 3339 UTC, so many milliseconds after T0. */
export function at(ms: number): string {
  return new Date(T0 + ms).toISOString();
}

export function faultStep(name: string, seq: number): FaultStep {
  return {
    kind: 'fault',
    step_id: `${name}-${String(seq).padStart(4, '0')}`,
    seq,
    block: 0,
    group: { id: `g-${name}`, mode: 'sequential', path: `/${name}` },
    fault: 'container.pause',
    risk: 'medium',
    mechanism: 'pause',
    params: {},
    mechanism_params: {},
    duration_ms: 10_000,
    recovery: true,
    on_failure: 'abort_and_recover',
    target: { service: name, container_name: null },
    undo: { mechanism: 'pause', undo: 'unpause', verify: 'state', outcomes: ['restored'] },
  };
}

/** A plan: pause `catalog` for 10 s with a web probe every 500 ms, then a check; criteria on both. */
export function examplePlan(changes: Partial<Plan> = {}): Plan {
  const plan: Omit<Plan, 'digest'> = {
    schema: 'mayhem/plan/v1',
    kind: 'drill',
    name: 'pause catalog',
    hypothesis: 'the gateway answers without its catalog',
    seed: null,
    config: { risk_ceiling: 'high', max_faults: 1, timeout_ms: null, recovery: true, on_failure: 'abort_and_recover' },
    blocks: [
      { block: 0, mode: 'sequential' },
      { block: 1, mode: 'sequential' },
    ],
    steps: [
      faultStep('catalog', 1),
      {
        kind: 'check',
        step_id: 'check-0002-0',
        seq: 2,
        block: 1,
        on_failure: 'abort_and_recover',
        check: { id: 'api-up', probe: httpProbe(), expect: { status: 200 } },
      },
    ],
    steady_state: [
      {
        id: 'web',
        probe: httpProbe(),
        cadence_ms: 500,
        window_ms: 5_000,
        expect: { status: 200, latency_ms_lt: 500 },
        min_ok_pct: 99,
      },
    ],
    success: {
      require_all: true,
      criteria: [
        { type: 'status', source_id: 'api-up.status', expected: 200 },
        { type: 'latency', source_id: 'api-up.latency_ms', lt_ms: 500 },
      ],
    },
    blueprint: { kind: 'compose', services: [] },
    policy: {
      allow_faults: null,
      deny_faults: [],
      risk_ceiling: null,
      allow_critical: false,
      critical_fault_acks: [],
      max_services_pct: 50,
      max_hosts: 2,
      max_concurrent_faults: 3,
      max_duration_per_fault_s: 300,
    },
    decision_refs: [
      { id: 'M4-1', date: '2025-11-03' },
      { id: 'M4-5', date: '2025-11-20' },
    ],
    ...changes,
  };
  return { ...plan, digest: digestOf(plan) };
}

function httpProbe() {
  return {
    type: 'http',
    url: 'http://127.0.0.1:8080/',
    method: 'GET',
    headers: {},
    body: null,
    timeout_ms: 5_000,
  } as const;
}

export function exampleRequest(): RunRequest {
  return {
    engine_id: 'engine-1',
    project: 'shop',
    actor: 'someone@somewhere',
    allow_critical: false,
    ignore_baseline: false,
    dry_run: false,
    agent_grace_ms: 2_000,
    recovery_grace_ms: 300_000,
    protect: { labels: [], names: [], projects: [] },
  };
}

/** The binding of a plan in a run: one lease for each fault step, on a container of that name. */
export function exampleBinding(options: { readonly runId: string; readonly plan: Plan }): Binding {
  const { runId, plan } = options;
  const leases = plan.steps.filter((step) => step.kind === 'fault').map((step) => leaseSpec({ runId, step }));
  const rest = {
    schema: 'mayhem/binding/v1',
    run_id: runId,
    plan_digest: plan.digest,
    engine_id: 'engine-1',
    project: 'shop',
    environment_fingerprint: 'f'.repeat(64),
    leases,
  } as const;
  return { ...rest, digest: digestOf(rest) };
}

function leaseSpec(options: { readonly runId: string; readonly step: FaultStep }): LeaseSpec {
  const { runId, step } = options;
  const container = step.target.service;
  return {
    lease_id: leaseIdOf({ runId, stepId: step.step_id, targetId: container }),
    run_id: runId,
    step_id: step.step_id,
    fault: step.fault,
    mechanism: step.mechanism,
    params: step.mechanism_params,
    target: {
      kind: 'container',
      engine_id: 'engine-1',
      container_id: container.padEnd(64, '0'),
      started_at: '2026-03-01T09:00:00.123456789Z',
      netns: null,
      name: `shop-${container}-1`,
      service: container,
      project: 'shop',
    },
    duration_ms: step.duration_ms,
    resources: [`engine-1/${container}/state`],
    recovery: step.recovery,
    grace_ms: 2_000,
  };
}

export function undoRecord(lease: LeaseSpec): UndoRecord {
  return {
    schema: 'mayhem/undo/v1',
    lease,
    installation_id: 'i-test',
    prepared_at: at(900),
    fingerprint: { status: 'running' },
    recipe: { action: 'unpause', container: lease.target.container_id },
  };
}

export function injectReport(lease: LeaseSpec, changes: Partial<InjectReport> = {}): InjectReport {
  return {
    lease_id: lease.lease_id,
    outcome: 'confirmed',
    injected_at: at(1_000),
    deadline: at(11_000),
    inject_ms: 21.5,
    proof: { stage: 'injected', outcome: 'confirmed', at: at(1_002), read: { status: 'paused' } },
    ...changes,
  };
}

export function undoReport(lease: LeaseSpec, changes: Partial<UndoReport> = {}): UndoReport {
  const outcome = changes.outcome ?? 'restored';
  return {
    lease_id: lease.lease_id,
    outcome,
    injection: 'confirmed',
    released_by: 'workflow',
    injected_at: at(1_000),
    undone_at: at(11_040),
    undo_ms: 41,
    proofs: [
      { stage: 'injected', outcome: 'confirmed', at: at(1_002), read: { status: 'paused' } },
      { stage: 'before_undo', outcome: 'confirmed', at: at(11_001), read: { status: 'paused' } },
      { stage: 'undone', outcome, at: at(11_041), read: { status: 'running' } },
    ],
    problem: null,
    ...changes,
  };
}

/** Samples of one source every 500 ms, from and up to so many milliseconds after T0. */
export function samplesBetween(options: {
  readonly fromMs: number;
  readonly toMs: number;
  readonly sourceId?: string;
  readonly of?: (slot: number) => Partial<Sample>;
}): readonly Sample[] {
  const first = Math.ceil(options.fromMs / 500);
  const count = Math.max(0, Math.floor(options.toMs / 500) - first + 1);
  return Array.from({ length: count }, (_, index) => first + index).map((slot) => ({
    source_id: options.sourceId ?? 'web',
    slot,
    at: at(slot * 500),
    ok: true,
    status: 200,
    latency_ms: 12.25,
    error: null,
    ...options.of?.(slot),
  }));
}
