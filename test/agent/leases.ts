import { randomBytes } from 'node:crypto';
import type { LeaseSpec } from '../../src/model/lease.js';
import type { Sleeper } from '../containers.js';

/** A lease as admission would make it, for a container of the test's own. */
export function leaseOn(
  target: Sleeper,
  options: { readonly engineId: string; readonly durationMs?: number; readonly graceMs?: number },
): LeaseSpec {
  const id = randomBytes(8).toString('hex');
  return {
    lease_id: `l-${id}`,
    run_id: `r-test-${id.slice(0, 8)}`,
    step_id: 'target-0001',
    fault: 'container.pause',
    mechanism: 'pause',
    params: {},
    target: {
      kind: 'container',
      engine_id: options.engineId,
      container_id: target.id,
      started_at: target.startedAt,
      name: target.name,
      netns: null,
      service: null,
      project: null,
    },
    duration_ms: options.durationMs ?? 30_000,
    resources: [`${options.engineId}/${target.id}/state`],
    recovery: true,
    grace_ms: options.graceMs ?? 1_000,
  };
}
