import { describe, expect, it } from 'vitest';
import type { Service } from './blueprint.js';
import { ServiceIndex } from './find-service.js';

const service = (name: string, container: string | null = null): Service => ({
  name,
  container_name: container,
  image: null,
  ports: [],
  expose: [],
  depends_on: [],
  labels: {},
  network_mode: null,
  other: {},
});
const index = new ServiceIndex({
  kind: 'compose',
  services: [service('web', 'shop-web'), service('db'), service('shop-web')],
});

describe('the services of a stack', () => {
  it('are found by container_name first, then by their own name, whole', () => {
    expect(index.find('shop-web')?.name).toBe('web');
    expect(index.find('db')?.name).toBe('db');
    expect(index.find('we')).toBeNull();
    expect(index.find('constructor')).toBeNull();
  });

  it('are listed sorted when a name finds none, with the nearest', () => {
    expect(index.missing('shop-wbe')).toEqual({
      message: 'the stack has no container or service "shop-wbe" (available: db, shop-web, web)',
      hint: 'did you mean "shop-web"?',
    });
    expect(new ServiceIndex({ kind: 'compose', services: [] }).missing('a').message).toContain('<none>');
  });
});
