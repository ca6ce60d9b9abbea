import type { ProcessMark } from '../../engines/host/marked-processes.js';
import { MayhemError } from '../../model/error.js';
import type { JsonObject } from '../../model/json.js';
import type { LeaseSpec, UndoRecord } from '../../model/lease.js';
import { type Load, spreadLoad } from './load.js';

/** Deadline and grace are over for at least half of this, and at most one and a half, when the stressor ends by itself. */
const EXPIRY_MARGIN_MS = 1_000;

/** A control group of the target that the stressor joins. */
export interface JoinedGroup {
  readonly controllers: string;
  readonly folder: string;
  /** The container's own folder: the same, or one above it. */
  readonly own: string;
}

/** What snapshot found: the state that undo is compared with. */
export interface StressFingerprint {
  readonly pid: number;
  readonly started_at: string;
  readonly groups: readonly JoinedGroup[];
  readonly allowance: { readonly cpus: number; readonly quota_cpus: number | null; readonly cpuset_cpus: number };
  readonly stress_ng: string;
}

/** All that inject, proof and undo need besides the lease. */
export interface StressRecipe extends Load {
  readonly kill_marked: string;
  readonly stress_ng: string;
  /** CPU time the workers are to use, in CPUs. */
  readonly burn_cpus: number;
  readonly timeout_s: number;
  readonly watched_pid: number;
  readonly groups: readonly JoinedGroup[];
}

/** Fixes the load and the stressor's own timeout. Pure. */
export function stressRecipe(options: { readonly lease: LeaseSpec; readonly fingerprint: JsonObject }): JsonObject {
  const { lease } = options;
  const found = options.fingerprint as unknown as StressFingerprint;
  const load = spreadLoad({ percent: percentOf(lease), cpus: found.allowance.cpus });
  const recipe: StressRecipe = {
    kill_marked: lease.lease_id,
    stress_ng: found.stress_ng,
    ...load,
    burn_cpus: load.percent_each === 100 ? found.allowance.cpus : (load.workers * load.percent_each) / 100,
    // stress-ng counts whole seconds.
    timeout_s: Math.ceil((lease.duration_ms + lease.grace_ms + EXPIRY_MARGIN_MS / 2) / 1000),
    watched_pid: found.pid,
    groups: found.groups,
  };
  return recipe as unknown as JsonObject;
}

export function recipeOf(record: UndoRecord): StressRecipe {
  return record.recipe as unknown as StressRecipe;
}

/** What the stressor's processes carry in their environment. */
export function markOf(lease: LeaseSpec): ProcessMark {
  return { name: 'MAYHEM_LEASE', value: lease.lease_id };
}

function percentOf(lease: LeaseSpec): number {
  const percent = lease.params['percent'];
  if (typeof percent === 'number' && percent >= 1 && percent <= 100) return percent;
  throw new MayhemError('plan.invalid', `percent of ${lease.fault} is no number from 1 to 100`);
}
