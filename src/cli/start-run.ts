import { randomBytes, randomUUID } from 'node:crypto';
import type { Database } from '../evidence/database.js';
import { refuseRun } from '../evidence/end-run.js';
import { createRun } from '../evidence/run-store.js';
import type { Config } from '../model/config.js';
import { MayhemError } from '../model/error.js';
import type { Plan } from '../model/plan.js';
import type { Decision } from '../model/policy.js';
import { waitUntil } from '../stack/wait-until.js';
import type { DrillStarter } from './temporal-client.js';

/** How long the start of a workflow is tried again. */
const START_WITHIN_MS = 15_000;

/**
 * Stores a new run and starts its workflow. A start that cannot be brought to Temporal ends the run as failed, so that no
 * later worker begins it behind the user's back. Throws temporal.unreachable, database.unreachable.
 */
export async function startRun(options: {
  readonly db: Database;
  readonly temporal: DrillStarter;
  readonly plan: Plan;
  readonly decisions: readonly Decision[];
  readonly config: Config;
  readonly engineId: string;
  readonly project: string | null;
  readonly actor: string;
  readonly allowCritical: boolean;
  readonly ignoreBaseline: boolean;
}): Promise<string> {
  const { config, db, plan } = options;
  const { runId } = await createRun(db, {
    name: plan.name,
    plan,
    requestKey: randomUUID(),
    request: {
      engine_id: options.engineId,
      project: options.project,
      actor: options.actor,
      allow_critical: options.allowCritical,
      ignore_baseline: options.ignoreBaseline,
      dry_run: false,
      agent_grace_ms: config.agent_grace_ms,
      recovery_grace_ms: config.recovery_grace_ms,
      protect: config.protect,
    },
    randomHex: () => randomBytes(4).toString('hex'),
  });
  let last: unknown = null;
  const started = await waitUntil({
    withinMs: START_WITHIN_MS,
    everyMs: 200,
    condition: async () => {
      try {
        await options.temporal.start(runId);
        return true;
      } catch (error) {
        last = error;
        return false;
      }
    },
  });
  if (started) return runId;
  const error = last instanceof MayhemError ? last : new MayhemError('temporal.unreachable', String(last));
  const problem = { code: error.code, message: error.message };
  await refuseRun(db, { runId, problem, decisions: options.decisions, at: new Date().toISOString() });
  throw error;
}
