import { describe, expect, it } from 'vitest';
import { blueprintOf, containerOf, serviceOf } from '../../test/stack-fixture.js';
import type { ContainerState } from '../engines/engine.js';
import { liveStateOf } from './live-state.js';

const engine = { kind: 'docker', version: '1', id: 'e' };
const blueprint = blueprintOf(serviceOf('web'), serviceOf('web-1'));
const live = (containers: readonly ContainerState[], project: string | null = 'shop') =>
  liveStateOf({ blueprint, project, containers, engine });
const names = (containers: readonly ContainerState[], project?: string | null) =>
  live(containers, project).containers.map(({ service, name }) => `${service} ${name}`);

describe('live state', () => {
  it('is found by labels, whatever the containers are called', () => {
    const called = (name: string, service: string) => containerOf({ service, given: { name } });
    for (const name of ['shop-web-1', 'shop_web_1', 'frontdoor', 'web-1']) {
      expect(names([called(name, 'web'), called('shop-web-1-1', 'web-1')])).toEqual([
        `web ${name}`,
        'web-1 shop-web-1-1',
      ]);
    }
  });

  it('leaves out other projects, containers of `compose run`, and those that compose did not make', () => {
    const state = live([
      containerOf({ service: 'web' }),
      containerOf({ service: 'web', project: 'other' }),
      containerOf({
        service: 'web',
        number: 2,
        given: { labels: { ...containerOf({ service: 'web' }).labels, 'com.docker.compose.oneoff': 'True' } },
      }),
      containerOf({ service: 'web', given: { name: 'shop-web-1', labels: {} } }),
    ]);
    expect(state.containers.map(({ name }) => name)).toEqual(['c-web-1']);
    expect(state.elsewhere).toEqual(['other']);
  });

  it('takes the only project there is when none is known, and refuses to choose among several', () => {
    const web = containerOf({ service: 'web' });
    expect(live([web, containerOf({ service: 'else', project: 'b' })], null).project).toBe('shop');
    expect(live([], null).project).toBe('');
    expect(() => live([web, containerOf({ service: 'web', project: 'blog' })], null)).toThrow(
      'this stack runs in several projects: blog, shop',
    );
  });

  it('orders replicas by number, and marks those whose service the document has not', () => {
    const state = live([
      ...[10, 2, 1].map((number) => containerOf({ service: 'web', number })),
      containerOf({ service: 'gone' }),
    ]);
    expect(state.containers.map(({ service, number, declared }) => [service, number, declared])).toEqual([
      ['gone', 1, false],
      ['web', 1, true],
      ['web', 2, true],
      ['web', 10, true],
    ]);
  });

  it('tells running, paused and stopped apart', () => {
    const of = (given: Partial<ContainerState>) => live([containerOf({ service: 'web', given })]).containers[0]?.state;
    expect(of({})).toBe('running');
    expect(of({ paused: true })).toBe('paused');
    expect(of({ running: false })).toBe('stopped');
  });

  it('knows the labels of podman-compose too', () => {
    const labels = { 'io.podman.compose.project': 'shop', 'com.docker.compose.service': 'web' };
    expect(names([containerOf({ service: 'web', given: { labels } })])).toEqual(['web c-web-1']);
  });
});
