import { describe, expect, it } from 'vitest';
import { blueprintOf, serviceOf } from '../../test/stack-fixture.js';
import type { LiveContainer, LiveState, TopologyGraph } from '../model/topology.js';
import { buildGraph } from './build-graph.js';

const unproven: LiveState = { state: 'unproven', reason: 'no engine' };
const lines = (graph: TopologyGraph) =>
  graph.edges.map(({ from, to, kind, weight, inferred, detail }) =>
    [from, kind, to, ...(weight === 2 ? ['weight 2'] : []), ...(inferred ? ['inferred'] : []), detail ?? '']
      .join(' ')
      .trim(),
  );
const port = { container_port: 80, protocol: 'tcp', host_port: 8080, host_ip: '127.0.0.1' } as const;
const stack = blueprintOf(
  serviceOf('api', {
    depends_on: [{ service: 'db', condition: 'service_healthy' }],
    expose: [9000],
    other: { environment: { PAY_URL: 'https://pay.example.com' }, networks: ['front', 'back'], scale: 2 },
  }),
  serviceOf('db', { other: { networks: { back: null } } }),
  serviceOf('helper', { network_mode: 'service:api', depends_on: [{ service: 'db', condition: 'service_started' }] }),
  serviceOf('web', { ports: [port], container_name: 'frontdoor' }),
);

describe('the graph of a stack', () => {
  it('has placeholder containers when no engine was asked, as many as the document wants', () => {
    const graph = buildGraph({ blueprint: stack, live: unproven });
    const containers = graph.nodes.filter(({ kind }) => kind === 'container');
    expect(containers.map(({ id, name }) => [id, name])).toEqual([
      ['ctr-api-1', 'api #1'],
      ['ctr-api-2', 'api #2'],
      ['ctr-db-1', 'db #1'],
      ['ctr-helper-1', 'helper #1'],
      ['ctr-web-1', 'frontdoor'],
    ]);
    expect(containers.every(({ placeholder }) => placeholder)).toBe(true);
    expect(
      buildGraph({
        blueprint: blueprintOf(serviceOf('x', { other: { deploy: { replicas: 0 } } })),
        live: unproven,
      }).nodes.some(({ kind }) => kind === 'container'),
    ).toBe(false);
  });

  it('has a node for every service, network, host outside and the engine, with ids by kind', () => {
    const graph = buildGraph({ blueprint: stack, live: unproven });
    expect(graph.nodes.filter(({ kind }) => kind !== 'container').map(({ id }) => id)).toEqual([
      'host-docker',
      'svc-api',
      'svc-db',
      'svc-helper',
      'svc-web',
      'net-back',
      'net-default',
      'net-front',
      'ext-pay.example.com',
    ]);
    expect(graph.nodes.find(({ id }) => id === 'svc-db')?.facts['dependents']).toEqual(['api', 'helper']);
  });

  it('has every edge between nodes that are there, each with its kind, weight and detail', () => {
    const graph = buildGraph({ blueprint: stack, live: unproven });
    const ids = new Set(graph.nodes.map(({ id }) => id));
    expect(graph.edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
    expect(lines(graph)).toEqual([
      'svc-api depends_on svc-db weight 2',
      'svc-api depends_on ext-pay.example.com inferred PAY_URL',
      'svc-helper depends_on svc-db',
      'svc-helper depends_on svc-api',
      'svc-api connects_via net-back svc-db',
      'svc-helper connects_via net-back svc-db',
      'svc-helper connects_via net-front svc-api',
      'svc-helper connects_via net-back svc-api',
      'svc-api attached_to net-front',
      'svc-api attached_to net-back',
      'svc-db attached_to net-back',
      'svc-helper shares_network_with svc-api',
      'svc-web attached_to net-default',
      'svc-web exposes host-docker 127.0.0.1:8080->80/tcp',
      ...['ctr-api-1', 'ctr-api-2'].flatMap((id) => [
        `${id} contained_in svc-api`,
        `${id} runs_on host-docker`,
        `${id} listens_on net-front 9000/tcp`,
        `${id} listens_on net-back 9000/tcp`,
      ]),
      'ctr-db-1 contained_in svc-db',
      'ctr-db-1 runs_on host-docker',
      'ctr-helper-1 contained_in svc-helper',
      'ctr-helper-1 runs_on host-docker',
      'ctr-web-1 contained_in svc-web',
      'ctr-web-1 runs_on host-docker',
      'ctr-web-1 listens_on net-default 80/tcp',
    ]);
  });

  it('has the live containers with their main processes instead, stopped and undeclared ones too', () => {
    const live: LiveState = {
      state: 'proven',
      engine: { kind: 'docker', version: '20.10', id: 'e1' },
      project: 'shop',
      elsewhere: [],
      containers: [
        container('aaa', 'db', 'running'),
        container('bbb', 'db', 'stopped'),
        container('ccc', 'old', 'paused'),
      ],
    };
    const graph = buildGraph({ blueprint: blueprintOf(serviceOf('db')), live });
    expect(graph.nodes.map(({ id }) => id)).toEqual([
      'host-docker',
      'svc-db',
      'ctr-aaa',
      'proc-aaa-7',
      'ctr-bbb',
      'ctr-ccc',
      'proc-ccc-7',
      'net-default',
    ]);
    expect(graph.nodes.some(({ placeholder }) => placeholder)).toBe(false);
    expect(lines(graph).filter((line) => line.includes('contained_in'))).toEqual([
      'ctr-aaa contained_in svc-db',
      'proc-aaa-7 contained_in ctr-aaa',
      'ctr-bbb contained_in svc-db',
      'proc-ccc-7 contained_in ctr-ccc',
    ]);
  });

  it('grows with the stack and no faster: a thousand services in well under a second', () => {
    const many = blueprintOf(
      ...Array.from({ length: 1000 }, (_, i) =>
        serviceOf(`s${i}`, { depends_on: i === 0 ? [] : [{ service: `s${i - 1}`, condition: 'service_started' }] }),
      ),
    );
    const begun = performance.now();
    expect(buildGraph({ blueprint: many, live: unproven }).nodes).toHaveLength(2002);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

function container(id: string, service: string, state: LiveContainer['state']): LiveContainer {
  return {
    id,
    short_id: id,
    name: id,
    service,
    number: 1,
    declared: true,
    image: 'x',
    state,
    health: 'none',
    started_at: '',
    pid: state === 'stopped' ? 0 : 7,
    auto_remove: false,
    ports: [],
    networks: {},
  };
}
