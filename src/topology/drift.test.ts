import { describe, expect, it } from 'vitest';
import { blueprintOf, containerOf, serviceOf } from '../../test/stack-fixture.js';
import type { ContainerState } from '../engines/engine.js';
import type { PortBinding, Service } from '../model/blueprint.js';
import { driftText } from '../model/topology.js';
import { driftOf } from './drift.js';
import { liveStateOf } from './live-state.js';

const engine = { kind: 'docker', version: '1', id: 'e' };
function drift(services: readonly Service[], containers: readonly ContainerState[]): readonly string[] {
  const blueprint = blueprintOf(...services);
  const found = driftOf({ blueprint, live: liveStateOf({ blueprint, project: 'shop', containers, engine }) });
  return found.state === 'proven' ? found.items.map((item) => `${item.kind}: ${driftText(item)}`) : [found.reason];
}
const port = (given: Partial<PortBinding> = {}): PortBinding => ({
  container_port: 80,
  protocol: 'tcp',
  host_port: 8080,
  host_ip: null,
  ...given,
});

describe('drift', () => {
  it('is nothing when all runs as the document says', () => {
    const ports = [port(), port({ container_port: 443, host_port: null })];
    const running = [ports[1] as PortBinding, port({ host_ip: '0.0.0.0' })];
    expect(drift([serviceOf('web', { ports })], [containerOf({ service: 'web', given: { ports: running } })])).toEqual(
      [],
    );
  });

  it('is unproven without an engine, with the reason', () => {
    expect(driftOf({ blueprint: blueprintOf(), live: { state: 'unproven', reason: 'no engine' } })).toEqual({
      state: 'unproven',
      reason: 'no engine',
    });
  });

  it('names services without a container, containers without a service, and other counts', () => {
    const replicas = (count: number) => ({ other: { deploy: { replicas: count } } });
    expect(
      drift(
        [serviceOf('api', replicas(3)), serviceOf('db'), serviceOf('off', replicas(0)), serviceOf('web')],
        [1, 2]
          .map((number) => containerOf({ service: 'api', number }))
          .concat(containerOf({ service: 'web' }), containerOf({ service: 'old' })),
      ),
    ).toEqual([
      'replicas: api has 2 containers, the document says 3',
      'missing: db has no container',
      'extra: c-old-1 runs for old, which the document does not have',
    ]);
  });

  it('names containers that are not running, but for those that others wait for to complete', () => {
    const stopped = (service: string) => containerOf({ service, given: { running: false, pid: 0 } });
    const depends_on = [{ service: 'migrate', condition: 'service_completed_successfully' }] as const;
    expect(
      drift(
        [serviceOf('db'), serviceOf('migrate'), serviceOf('web', { depends_on })],
        [stopped('db'), stopped('migrate'), containerOf({ service: 'web' })],
      ),
    ).toEqual(['stopped: c-db-1 of db is not running']);
  });

  it.each([
    ['nginx', 'nginx:latest', true],
    ['nginx', 'docker.io/library/nginx', true],
    ['docker.io/grafana/grafana:1', 'grafana/grafana:1', true],
    ['localhost:5000/x', 'localhost:5000/x:latest', true],
    [null, 'shop-web', true],
    ['nginx:1', 'nginx:2', false],
    ['nginx', 'nginx@sha256:0', false],
    ['a/x:1', 'b/x:1', false],
  ])('compares the declared image %s with %s as Docker completes names', (declared, running, same) => {
    expect(
      drift([serviceOf('web', { image: declared })], [containerOf({ service: 'web', given: { image: running } })]),
    ).toEqual(same ? [] : [`image: c-web-1 of web runs ${running}, the document says ${declared}`]);
  });

  it('compares published ports, unless they are not the container’s own', () => {
    const web = (service: Partial<Service>, ports: readonly PortBinding[]) =>
      drift([serviceOf('web', service)], [containerOf({ service: 'web', given: { ports } })]);
    expect(web({ ports: [port()] }, [port({ host_port: 9090, host_ip: '127.0.0.1' })])).toEqual([
      'ports: c-web-1 of web publishes 127.0.0.1:9090->80/tcp, the document says 8080->80/tcp',
    ]);
    expect(web({}, [port({ protocol: 'udp' })])).toEqual([
      'ports: c-web-1 of web publishes 8080->80/udp, the document says nothing',
    ]);
    expect(web({ network_mode: 'host', ports: [port()] }, [])).toEqual([]);
  });
});
