import { describe, expect, it } from 'vitest';
import { blueprintOf, serviceOf } from '../../test/stack-fixture.js';
import type { Service } from './blueprint.js';
import { dependentsByService, serviceLinks } from './service-links.js';

const linksOf = (...services: readonly Service[]) =>
  serviceLinks(blueprintOf(...services)).map(({ from, to, weight, variable }) =>
    [from, to.kind === 'service' ? to.name : `ext ${to.host}`, weight, variable].join(' '),
  );

describe('links between services', () => {
  it('are declared ones, heavier where health is waited for, and those of links, volumes and shared networks', () => {
    expect(
      linksOf(
        serviceOf('api', {
          depends_on: [
            { service: 'cache', condition: 'service_started' },
            { service: 'db', condition: 'service_healthy' },
          ],
        }),
        serviceOf('cache', { network_mode: 'service:vpn' }),
        serviceOf('db', { other: { links: ['cache:redis'], volumes_from: ['vpn:ro', 'container:else'] } }),
        serviceOf('vpn'),
      ),
    ).toEqual(['api cache 1 ', 'api db 2 ', 'cache vpn 1 ', 'db cache 1 ', 'db vpn 1 ']);
  });

  it('lead to the own service where a host is one, by any of its names, and outside of the stack else', () => {
    expect(
      linksOf(
        serviceOf('api', {
          other: {
            environment: {
              A_URL: 'http://db:5432',
              B_URL: 'http://frontdoor/x',
              C_HOST: 'cache.internal',
              D_HOST: 'queue',
              E_ENDPOINT: 'https://api.stripe.com',
              F_URL: null,
              G_HOST: 'renamed',
              PORT: 80,
            },
            links: ['blob:renamed'],
          },
        }),
        serviceOf('blob'),
        serviceOf('cache', { other: { networks: { back: { aliases: ['cache.internal'] } } } }),
        serviceOf('db'),
        serviceOf('mq', { other: { hostname: 'Queue' } }),
        serviceOf('web', { container_name: 'frontdoor' }),
      ),
    ).toEqual([
      'api blob 1 ',
      'api db 1 A_URL',
      'api web 1 B_URL',
      'api cache 1 C_HOST',
      'api mq 1 D_HOST',
      'api ext api.stripe.com 1 E_ENDPOINT',
    ]);
  });

  it('are one for each pair: a declared one hides an inferred one, and none leads to the service itself', () => {
    const environment = [
      'DB_URL=http://db',
      'DB_HOST=db',
      'OWN_URL=http://api',
      'X_URL=http://out',
      'Y_URL=http://out',
    ];
    const depends_on = [{ service: 'db', condition: 'service_healthy' }] as const;
    expect(linksOf(serviceOf('api', { depends_on, other: { environment } }), serviceOf('db'))).toEqual([
      'api db 2 ',
      'api ext out 1 X_URL',
    ]);
  });

  it('with an alias that several services share lead to each of them', () => {
    const shared = { other: { networks: { back: { aliases: ['pool'] } } } };
    expect(
      linksOf(
        serviceOf('a', { other: { environment: { X_HOST: 'pool' } } }),
        serviceOf('b', shared),
        serviceOf('c', shared),
      ),
    ).toEqual(['a b 1 X_HOST', 'a c 1 X_HOST']);
  });
});

describe('dependents', () => {
  it('are direct and indirect ones, in a cycle too', () => {
    const on = (service: string) => ({ depends_on: [{ service, condition: 'service_started' as const }] });
    const blueprint = blueprintOf(
      serviceOf('db'),
      serviceOf('api', on('db')),
      serviceOf('web', on('api')),
      serviceOf('x', on('y')),
      serviceOf('y', { other: { environment: { X_URL: 'http://x' } } }),
    );
    expect(Object.fromEntries(dependentsByService({ blueprint, links: serviceLinks(blueprint) }))).toEqual({
      db: ['api', 'web'],
      api: ['web'],
      web: [],
      x: ['y'],
      y: ['x'],
    });
  });
});
