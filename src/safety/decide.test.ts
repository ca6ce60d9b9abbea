import { describe, expect, it } from 'vitest';
import { catalog as built } from '../faults/catalog.js';
import type { FaultEntry, Risk } from '../model/fault.js';
import type { FaultStep, Plan } from '../model/plan.js';
import type { Policy } from '../model/policy.js';
import { decide, effectiveFaultCap } from './decide.js';
import { refusalOf } from './refusal.js';

const policy: Policy = {
  allow_faults: null,
  deny_faults: [],
  risk_ceiling: null,
  allow_critical: false,
  critical_fault_acks: [],
  max_services_pct: 50,
  max_hosts: 2,
  max_concurrent_faults: 3,
  max_duration_per_fault_s: 300,
};
const step = (service: string, more: Partial<FaultStep> = {}): FaultStep => ({
  kind: 'fault',
  step_id: `${service}-0000`,
  seq: 0,
  block: 0,
  group: { id: 'g', mode: 'sequential', path: `/${service}` },
  fault: 'container.pause',
  risk: 'medium',
  mechanism: 'pause',
  params: {},
  mechanism_params: {},
  duration_ms: 10_000,
  recovery: true,
  on_failure: 'abort_and_recover',
  target: { service, container_name: null },
  undo: { mechanism: 'pause', undo: '', verify: '', outcomes: ['restored'] },
  ...more,
});
const planOf = (options: {
  steps?: readonly FaultStep[];
  policy?: Partial<Policy>;
  ceiling?: Risk;
  maxFaults?: number;
  modes?: readonly ('parallel' | 'sequential')[];
  services?: number;
}): Plan => ({
  schema: 'mayhem/plan/v1',
  kind: 'drill',
  name: 'x',
  hypothesis: null,
  digest: '',
  seed: null,
  config: {
    risk_ceiling: options.ceiling ?? 'high',
    max_faults: options.maxFaults ?? 1,
    timeout_ms: null,
    recovery: true,
    on_failure: 'abort_and_recover',
  },
  blocks: (options.modes ?? ['parallel']).map((mode, block) => ({ block, mode })),
  steps: options.steps ?? [step('api')],
  steady_state: [],
  success: null,
  blueprint: {
    kind: 'compose',
    services: Array.from({ length: options.services ?? 4 }, (_, i) => ({
      name: `s${i}`,
      container_name: null,
      image: null,
      ports: [],
      expose: [],
      depends_on: [],
      labels: {},
      network_mode: null,
      other: {},
    })),
  },
  policy: { ...policy, ...options.policy },
  decision_refs: [],
});
const refusedBy = (plan: Plan, allowCritical = false, catalog: readonly FaultEntry[] = built): readonly string[] =>
  decide({ plan, allowCritical, catalog })
    .filter((decision) => !decision.allowed)
    .map((decision) => decision.gate);

describe('the gates', () => {
  it('record a decision of each, allowed or not, in their order, for every fault and then for the plan', () => {
    const decisions = decide({
      plan: planOf({ steps: [step('api'), step('db')] }),
      allowCritical: false,
      catalog: built,
    });
    const perFault = ['deny_list', 'allow_list', 'default_deny', 'risk_ceiling', 'critical_opt_in', 'budget.duration'];
    expect(decisions.map(({ gate, step_id: id }) => `${id ?? 'plan'} ${gate}`)).toEqual([
      ...perFault.map((gate) => `api-0000 ${gate}`),
      ...perFault.map((gate) => `db-0000 ${gate}`),
      'plan budget.services',
      'plan budget.hosts',
      'plan budget.concurrent',
    ]);
    expect(decisions.every((decision) => decision.allowed && decision.reason !== '')).toBe(true);
    expect(refusalOf(decisions)).toBeNull();
  });

  it('refuse what the deny list names, even when the allow list names it too', () => {
    expect(
      refusedBy(planOf({ policy: { deny_faults: ['container.pause'], allow_faults: ['container.pause'] } })),
    ).toEqual(['deny_list']);
  });

  it('refuse what an allow list does not name, and an empty one names nothing', () => {
    expect(refusedBy(planOf({ policy: { allow_faults: ['container.pause'] } }))).toEqual([]);
    expect(refusedBy(planOf({ policy: { allow_faults: [] } }))).toEqual(['allow_list']);
  });

  it('know faults of their lists by alias', () => {
    const catalog = built.map((entry) => ({ ...entry, aliases: ['pause.alias'] }));
    expect(refusedBy(planOf({ policy: { deny_faults: ['pause.alias'] } }), false, catalog)).toEqual(['deny_list']);
    expect(refusedBy(planOf({ policy: { allow_faults: ['pause.alias'] } }), false, catalog)).toEqual([]);
  });

  it('refuse node.reboot unless the allow list names it', () => {
    const steps = [step('api', { fault: 'node.reboot' })];
    expect(refusedBy(planOf({ steps }))).toEqual(['default_deny']);
    expect(refusedBy(planOf({ steps, policy: { allow_faults: ['node.reboot'] } }))).toEqual([]);
  });

  it.each<[Risk, Risk | null, Risk, boolean]>([
    ['medium', null, 'medium', true],
    ['medium', null, 'low', false],
    ['medium', 'low', 'high', false],
    ['high', 'medium', 'high', false],
    ['high', 'critical', 'medium', false],
    ['high', 'high', 'critical', true],
    ['low', 'low', 'low', true],
  ])('hold risk %s against the lower of the ceilings %s and %s', (risk, ofPolicy, ofDrill, allowed) => {
    const plan = planOf({ steps: [step('api', { risk })], policy: { risk_ceiling: ofPolicy }, ceiling: ofDrill });
    expect(refusedBy(plan)).toEqual(allowed ? [] : ['risk_ceiling']);
  });

  it('let a critical fault pass with all three yeses only', () => {
    for (const yeses of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const plan = planOf({
        steps: [step('api', { risk: 'critical' })],
        ceiling: 'critical',
        policy: {
          allow_critical: (yeses & 1) !== 0,
          critical_fault_acks: (yeses & 2) !== 0 ? ['container.pause'] : [],
        },
      });
      expect(refusedBy(plan, (yeses & 4) !== 0)).toEqual(yeses === 7 ? [] : ['critical_opt_in']);
    }
  });

  it('refuse a fault longer than the policy lets one last', () => {
    const policyOf = { max_duration_per_fault_s: 10 };
    expect(refusedBy(planOf({ policy: policyOf }))).toEqual([]);
    expect(refusedBy(planOf({ policy: policyOf, steps: [step('api', { duration_ms: 10_001 })] }))).toEqual([
      'budget.duration',
    ]);
  });
});

describe('the budget of services', () => {
  const steps = ['a', 'b', 'c'].map((name) => step(name));

  it('counts services faulted at the same time, as the cap lets them be', () => {
    expect(refusedBy(planOf({ steps, maxFaults: 3, services: 6 }))).toEqual([]);
    expect(refusedBy(planOf({ steps, maxFaults: 3, services: 5 }))).toEqual(['budget.services']);
    expect(refusedBy(planOf({ steps, maxFaults: 0, services: 5 }))).toEqual(['budget.services']);
    expect(refusedBy(planOf({ steps, maxFaults: 2, services: 5 }))).toEqual([]);
    expect(refusedBy(planOf({ steps, maxFaults: 3, services: 5, modes: ['sequential'] }))).toEqual([]);
  });

  it('always lets one service be faulted', () => {
    expect(refusedBy(planOf({ services: 1, policy: { max_services_pct: 1 } }))).toEqual([]);
  });

  it('counts one service once, however many faults it has', () => {
    const twice = [step('a'), step('a', { step_id: 'a-0001' })];
    expect(refusedBy(planOf({ steps: twice, maxFaults: 2, services: 3 }))).toEqual([]);
  });

  it('is exact where a share of the services is a whole number', () => {
    for (const [services, pct, faulted] of [
      [10, 30, 3],
      [3, 33.3, 1],
      [100, 29, 29],
      [7, 100, 7],
    ] as const) {
      const many = Array.from({ length: faulted }, (_, i) => step(`s${i}`));
      const budget = { max_services_pct: pct, max_concurrent_faults: 1000 };
      expect(refusedBy(planOf({ steps: many, services, maxFaults: 0, policy: budget }))).toEqual([]);
      const more = [...many, step('more')];
      expect(refusedBy(planOf({ steps: more, services, maxFaults: 0, policy: budget }))).toEqual(['budget.services']);
    }
  });

  it('counts faults that are kept in force on purpose with those of later blocks', () => {
    const kept = [step('a', { recovery: false }), step('b', { block: 1 })];
    const plan = { steps: kept, modes: ['sequential', 'sequential'] as const };
    expect(refusedBy(planOf({ ...plan, services: 4 }))).toEqual([]);
    expect(refusedBy(planOf({ ...plan, services: 3 }))).toEqual(['budget.services']);
  });
});

describe('the cap of faults in force', () => {
  it.each([
    [1, 3, 1],
    [5, 3, 3],
    [0, 3, 3],
  ])('is %i of the drill and %i of the policy: %i', (maxFaults, ofPolicy, cap) => {
    expect(effectiveFaultCap(planOf({ maxFaults, policy: { max_concurrent_faults: ofPolicy } }))).toBe(cap);
  });
});

describe('a refusal', () => {
  it('names every gate that refuses, with its remedy', () => {
    const plan = planOf({ policy: { deny_faults: ['container.pause'], max_duration_per_fault_s: 1 }, ceiling: 'low' });
    const refusal = refusalOf(decide({ plan, allowCritical: false, catalog: built }));
    expect(refusal?.code).toBe('safety.refused');
    expect(refusal?.exitCode).toBe(5);
    for (const word of ['deny_list: api-0000', 'risk_ceiling: api-0000', 'budget.duration: api-0000'])
      expect(refusal?.message).toContain(word);
    expect(refusal?.hint?.split('; ')).toHaveLength(3);
  });
});
