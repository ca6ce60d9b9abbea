import { describe, expect, it } from 'vitest';
import { examplePlan, exampleRequest, faultStep } from '../../test/run-fixture.js';
import { blueprintOf, containerOf, serviceOf } from '../../test/stack-fixture.js';
import type { ContainerState } from '../engines/engine.js';
import type { Plan } from '../model/plan.js';
import type { RunRequest } from '../model/run-request.js';
import type { Selection } from '../model/selection.js';
import { bindPlan } from './bind-plan.js';

function bind(options: {
  readonly containers: readonly ContainerState[];
  readonly selection?: Selection;
  readonly request?: Partial<RunRequest>;
  readonly plan?: Partial<Plan>;
  readonly runId?: string;
}) {
  const step = faultStep('web', 0);
  const { selection } = options;
  const target = { ...step.target, ...(selection === undefined ? {} : { selection }) };
  return bindPlan({
    runId: options.runId ?? 'r-1',
    plan: { ...examplePlan(), blueprint: blueprintOf(serviceOf('web')), steps: [{ ...step, target }], ...options.plan },
    request: { ...exampleRequest(), project: 'shop', ...options.request },
    containers: options.containers,
    resourcesOf: ({ target: { container_id } }) => [container_id],
  });
}
const web = (number: number, given: Partial<ContainerState> = {}) => containerOf({ service: 'web', number, given });
const names = (options: Parameters<typeof bind>[0]) => bind(options).leases.map(({ target }) => target.name);

describe('binding', () => {
  it('makes one lease for each running replica, by number, each with its own identity', () => {
    const binding = bind({ containers: [10, 2, 1].map((number) => web(number)) });
    expect(binding.leases.map(({ target }) => target.name)).toEqual(['c-web-1', 'c-web-2', 'c-web-10']);
    expect(new Set(binding.leases.map(({ lease_id }) => lease_id)).size).toBe(3);
  });

  it('takes what the selection says of the running ones', () => {
    const containers = [web(1, { running: false }), web(2), web(3), web(4)];
    expect(names({ containers, selection: { mode: 'one' } })).toEqual(['c-web-2']);
    expect(names({ containers, selection: { mode: 'count', count: 2 } })).toEqual(['c-web-2', 'c-web-3']);
    expect(names({ containers, selection: { mode: 'percentage', percentage: 34 } })).toEqual(['c-web-2', 'c-web-3']);
    expect(names({ containers, selection: { mode: 'all' } })).toHaveLength(3);
    expect(() => names({ containers, selection: { mode: 'count', count: 4 } })).toThrow(
      'selection count 4: there are 3 running containers of web',
    );
  });

  it('draws a random one from the plan’s seed, else from the run, and the same one for every fault of the container', () => {
    const containers = Array.from({ length: 50 }, (_, i) => web(i + 1));
    const random = { containers, selection: { mode: 'random' } } as const;
    const seeded = (seed: number, runId: string) => names({ ...random, plan: { seed }, runId });
    expect(seeded(7, 'r-1')).toEqual(seeded(7, 'r-2'));
    expect(names({ ...random, runId: 'r-1' })).not.toEqual(names({ ...random, runId: 'r-2' }));
    const target = { ...faultStep('web', 0).target, selection: random.selection };
    const steps = [0, 1].map((seq) => ({ ...faultStep('web', seq), target }));
    expect(new Set(names({ ...random, plan: { steps } })).size).toBe(1);
  });

  it('finds containers by labels: another project is not meant, and with none named several are ambiguous', () => {
    const other = containerOf({ service: 'web', project: 'blog', given: { name: 'theirs' } });
    expect(names({ containers: [web(1), other] })).toEqual(['c-web-1']);
    expect(() => names({ containers: [other] })).toThrow(
      'no container of service web in project shop is on this engine',
    );
    expect(() => names({ containers: [web(1), other], request: { project: null } })).toThrow(
      'service web runs in several projects: blog, shop',
    );
    expect(() => names({ containers: [web(1, { running: false })] })).toThrow('it is not running: c-web-1');
  });

  it.each<[Partial<RunRequest['protect']>, string]>([
    [{ labels: ['tier=db'] }, 'label tier=db'],
    [{ labels: ['tier'] }, 'label tier'],
    [{ names: ['c-web-2'] }, 'its name'],
    [{ projects: ['shop'] }, 'its project'],
  ])('refuses all when one of its targets is protected: %j', (protect, why) => {
    const containers = [web(1), web(2, { labels: { ...web(2).labels, tier: 'db' } })];
    const request = { protect: { labels: [], names: [], projects: [], ...protect } };
    expect(() => names({ containers, request })).toThrow(`is protected by ${why}`);
  });
});
