import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalog } from '../faults/catalog.js';
import type { Blueprint, Service } from '../model/blueprint.js';
import type { Drill, DrillBlock, DrillContainer } from '../model/drill.js';
import { MayhemErrors } from '../model/error.js';
import type { FaultEntry } from '../model/fault.js';
import type { Policy } from '../model/policy.js';
import { compilePlan } from './compile-plan.js';

const place = (line: number) => ({ file: 'd.yaml', line, column: 1 });
const service = (name: string, more: Partial<Service> = {}): Service => ({
  name,
  container_name: null,
  image: 'x',
  ports: [],
  expose: [],
  depends_on: [],
  labels: {},
  network_mode: null,
  other: {},
  ...more,
});
const blueprint: Blueprint = {
  kind: 'compose',
  services: [service('api', { container_name: 'shop-api' }), service('db')],
};
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
const pause = (more: Partial<DrillContainer['faults'][number]> = {}): DrillContainer['faults'][number] => ({
  fault: 'container.pause',
  duration_ms: 10_000,
  params: {},
  recovery: null,
  on_failure: null,
  peers: [],
  place: place(5),
  ...more,
});
const container = (name: string, faults = [pause()], line = 4): DrillContainer => ({
  name,
  faults,
  place: place(line),
});
const sequential = (...names: string[]): DrillBlock => ({ kind: 'sequential', names, place: place(9) });
const parallel = (...names: string[]): DrillBlock => ({ kind: 'parallel', names, place: place(9) });
const drill = (more: Partial<Drill> = {}): Drill => ({
  name: 'test',
  hypothesis: null,
  config: { risk_ceiling: 'high', max_faults: 1, timeout_ms: 1000, recovery: true, on_failure: 'abort_and_recover' },
  containers: [container('shop-api')],
  execution: [sequential('shop-api')],
  steady_state: [],
  success: null,
  file: 'd.yaml',
  ...more,
});
const compile = (more: Partial<Parameters<typeof compilePlan>[0]> = {}) =>
  compilePlan({ drill: drill(), blueprint, policy, catalog, ...more });
const errorsOf = (given: Drill): readonly string[] => {
  try {
    compile({ drill: given });
  } catch (error) {
    if (!(error instanceof MayhemErrors)) throw error;
    return error.errors.map(
      ({ code, message, place: at, hint }) => `${at?.line} ${code} ${message}${hint === undefined ? '' : ` | ${hint}`}`,
    );
  }
  return [];
};

describe('a plan', () => {
  it('has for each fault its target, group, parameters and undo contract', () => {
    const { plan, notices } = compile();
    expect(notices).toEqual([]);
    expect(plan.steps).toEqual([
      {
        kind: 'fault',
        step_id: 'shop-api-0000',
        seq: 0,
        block: 0,
        group: { id: 'group-0000-shop-api', mode: 'sequential', path: '/shop-api' },
        fault: 'container.pause',
        risk: 'medium',
        mechanism: 'pause',
        params: {},
        mechanism_params: {},
        duration_ms: 10_000,
        recovery: true,
        on_failure: 'abort_and_recover',
        target: { service: 'api', container_name: 'shop-api' },
        undo: { mechanism: 'pause', undo: 'pause.undo', verify: 'pause.verifyUndone', outcomes: ['restored'] },
      },
    ]);
    expect(plan.blocks).toEqual([{ block: 0, mode: 'sequential' }]);
    expect(plan.decision_refs.map(({ id }) => id)).toEqual(['M4-1', 'M4-5']);
    for (const { date } of plan.decision_refs) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(plan.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('lets a fault override what the drill says of recovery and failure', () => {
    const given = drill({
      config: { ...drill().config, recovery: false, on_failure: 'continue' },
      containers: [container('db', [pause(), pause({ recovery: true, on_failure: 'abort_and_recover' })])],
      execution: [sequential('db')],
    });
    expect(compile({ drill: given }).plan.steps).toMatchObject([
      { step_id: 'db-0000', recovery: false, on_failure: 'continue' },
      { step_id: 'db-0001', recovery: true, on_failure: 'abort_and_recover' },
    ]);
  });

  it('shows a container without faults as a step that does nothing', () => {
    const given = drill({
      containers: [container('shop-api'), container('db', [])],
      execution: [parallel('db', 'shop-api')],
    });
    expect(compile({ drill: given }).plan.steps).toMatchObject([
      { kind: 'noop', step_id: 'db-0000', target: { service: 'db', container_name: null } },
      { kind: 'fault', step_id: 'shop-api-0000' },
    ]);
  });

  it('takes a service by its own name where no container_name is equal', () => {
    const given = drill({ containers: [container('api')], execution: [sequential('api')] });
    expect(compile({ drill: given }).plan.steps).toMatchObject([
      { target: { service: 'api', container_name: 'shop-api' } },
    ]);
  });

  it('warns of a criterion whose source cannot exist, with the nearest', () => {
    const given = drill({
      steady_state: [
        {
          id: 'web',
          probe: { type: 'tcp', host: 'web', port: 1, timeout_ms: 1 },
          expect: {},
          cadence_ms: 1,
          window_ms: 1,
          min_ok_pct: 99,
        },
      ],
      execution: [
        sequential('shop-api'),
        {
          kind: 'check',
          place: place(9),
          checks: [{ id: 'up', probe: { type: 'tcp', host: 'web', port: 1, timeout_ms: 1 }, expect: {} }],
        },
      ],
      success: {
        require_all: true,
        criteria: [
          'web.passed',
          'web.passed.before',
          'web.latency_ms.after',
          'up',
          'up.status',
          'check-0001-0.latency_ms',
          'wbe.passed',
          'unlike-any',
        ].map((source) => ({ type: 'boolean', source_id: source, value: true })),
      },
    });
    const { plan, notices } = compile({ drill: given });
    expect(notices.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warning the criterion boolean:wbe.passed names a source this drill has not; did you mean "web.passed"?',
      'warning the criterion boolean:unlike-any names a source this drill has not',
    ]);
    expect(plan.decision_refs.map(({ id }) => id)).toEqual(['M4-1', 'M4-5', 'M4-3']);
  });
});

describe('compiling', () => {
  it('gives all errors at once, at the place of what was authored', () => {
    const given = drill({
      containers: [
        container('shop-apo', [pause({ duration_ms: 301_000, params: { x: 1 } })], 10),
        container('db', [
          pause({ fault: 'net.latency', place: place(11) }),
          pause({ fault: 'nope.nope', place: place(12) }),
        ]),
        container('zz', [], 13),
      ],
      execution: [parallel('db', 'db'), sequential('dbb')],
    });
    expect(errorsOf(given)).toEqual([
      '10 target.missing the stack has no container or service "shop-apo" (available: api, db, shop-api) | did you mean "shop-api"?',
      '13 target.missing the stack has no container or service "zz" (available: api, db, shop-api) | name a container_name or a service of the compose file',
      '5 plan.invalid container.pause lasts at most 5m, not 5m1s | shorten its duration to 5m or less',
      '5 plan.invalid container.pause has no parameter "x" (it takes none) | remove it',
      '11 document.unsupported the fault "net.latency" is not supported yet | see `mayhem discover faults` for those that are',
      '12 plan.invalid there is no fault "nope.nope" | see `mayhem discover faults` for the catalog',
      '9 plan.invalid "db" is given twice in one parallel block | put them into one chain or into two blocks',
      '9 plan.invalid "dbb" is not under containers | did you mean "db"?',
    ]);
  });

  it('lists what is missing and what there is, sorted, in the details', () => {
    const given = drill({ containers: [container('z'), container('y')], execution: [sequential('z', 'y')] });
    expect(() => compile({ drill: given })).toThrow(
      expect.objectContaining({
        errors: expect.arrayContaining([
          expect.objectContaining({ details: { missing: ['y', 'z'], available: ['api', 'db', 'shop-api'] } }),
        ]),
      }),
    );
  });

  it('refuses two names of one service in one parallel block', () => {
    const given = drill({
      containers: [container('api'), container('shop-api')],
      execution: [parallel('api', 'shop-api')],
    });
    expect(errorsOf(given)).toEqual([expect.stringContaining('"api" and "shop-api" are both the service "api"')]);
  });

  it('refuses two steps with one id', () => {
    const stack: Blueprint = { kind: 'compose', services: [service('a'), service('check-2500')] };
    const names = [...Array(1000).fill('a'), 'check-2500', ...Array(499).fill('a')] as string[];
    const check = { id: null, probe: { type: 'tcp', host: 'a', port: 1, timeout_ms: 1 }, expect: {} } as const;
    const given = drill({
      containers: [container('a'), container('check-2500')],
      execution: [sequential(...names), { kind: 'check', checks: Array(1001).fill(check), place: place(10) }],
    });
    expect(() => compile({ drill: given, blueprint: stack })).toThrow('two steps have the id "check-2500-1000"');
  });

  it.each([
    ['no fault on any container', drill({ containers: [container('db', [])], execution: [sequential('db')] })],
    ['faults that no block runs', drill({ execution: [{ kind: 'wait', duration_ms: 1, place: place(9) }] })],
    ['nothing at all', drill({ containers: [], execution: [] })],
  ])('refuses a drill with %s', (_name, given) => {
    expect(errorsOf(given)).toEqual([expect.stringContaining('plan.invalid the drill "test" injects no fault')]);
  });
});

describe('the digest of a plan', () => {
  const digest = (more: Partial<Parameters<typeof compilePlan>[0]> = {}) => compile(more).plan.digest;
  const changedEntry = (more: Partial<FaultEntry>): readonly FaultEntry[] =>
    catalog.map((entry) => ({ ...entry, ...more }));

  it('is the same for the same input, whatever the file, the places and the order of keys', () => {
    expect(digest()).toBe(digest());
    const moved = drill({
      file: '/elsewhere/e.yaml',
      containers: [container('shop-api', [pause({ place: place(99) })], 98)],
    });
    expect(digest({ drill: moved })).toBe(digest());
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (order) => {
        const shuffle = (value: unknown): unknown => {
          if (Array.isArray(value)) return value.map(shuffle);
          if (value === null || typeof value !== 'object') return value;
          const keyed = Object.entries(value).map(
            ([key, member]) => [order.next().value as number, key, shuffle(member)] as const,
          );
          return Object.fromEntries(keyed.sort(([a], [b]) => a - b).map(([, key, member]) => [key, member]));
        };
        expect(
          digest({
            drill: shuffle(drill()) as Drill,
            policy: shuffle(policy) as Policy,
            blueprint: shuffle(blueprint) as Blueprint,
          }),
        ).toBe(digest());
      }),
      { numRuns: 20 },
    );
  });

  it.each<[string, Partial<Parameters<typeof compilePlan>[0]>]>([
    ['a duration', { drill: drill({ containers: [container('shop-api', [pause({ duration_ms: 10_001 })])] }) }],
    ['a setting of the drill', { drill: drill({ config: { ...drill().config, max_faults: 2 } }) }],
    ['the hypothesis', { drill: drill({ hypothesis: 'x' }) }],
    [
      'an image',
      {
        blueprint: {
          kind: 'compose',
          services: [service('api', { container_name: 'shop-api', image: 'y' }), service('db')],
        },
      },
    ],
    [
      'a key the blueprint does not understand',
      {
        blueprint: {
          kind: 'compose',
          services: [service('api', { container_name: 'shop-api', other: { a: 1 } }), service('db')],
        },
      },
    ],
    [
      'a dependency',
      {
        blueprint: {
          kind: 'compose',
          services: [
            service('api', { container_name: 'shop-api' }),
            service('db', { depends_on: [{ service: 'api', condition: 'service_started' }] }),
          ],
        },
      },
    ],
    ['a value of the policy', { policy: { ...policy, max_hosts: 3 } }],
    ['the cap of a fault that is used', { catalog: changedEntry({ capMs: 299_999 }) }],
    ['the risk of a fault that is used', { catalog: changedEntry({ risk: 'low' }) }],
  ])('changes with %s', (_name, more) => {
    expect(digest(more)).not.toBe(digest());
  });

  it('does not change with a fault of the catalog that is not used, nor with help texts', () => {
    const more: readonly FaultEntry[] = [
      ...changedEntry({ effect: 'other words' }),
      { ...(catalog[0] as FaultEntry), id: 'other', aliases: [] },
    ];
    expect(digest({ catalog: more })).toBe(digest());
  });
});

describe('a plan of a thousand services', () => {
  it('is compiled in time that grows with its size', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `svc-${i}`);
    const given = drill({ containers: names.map((name) => container(name)), execution: [sequential(...names)] });
    const stack: Blueprint = { kind: 'compose', services: names.map((name) => service(name)) };
    const begin = performance.now();
    expect(compile({ drill: given, blueprint: stack }).plan.steps).toHaveLength(1000);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});
