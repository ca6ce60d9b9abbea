import type { Database } from '../evidence/database.js';
import { requestAbort } from '../evidence/request-store.js';
import { activeRunIds, findRun } from '../evidence/run-store.js';
import { temporalAnswers } from '../stack/answers.js';
import { hostAndPort } from '../stack/configured-addresses.js';
import type { StackLocation } from '../stack/stack-file.js';
import { signalAbort } from './abort-run.js';
import type { Hands } from './hands.js';

const REASON = 'mayhem rescue';
const TEMPORAL_WITHIN_MS = 500;

interface AbortBeforeRescueOptions {
  /** null: it does not answer. */
  readonly db: Database | null;
  /** null: nothing is known of one. */
  readonly temporal: StackLocation['temporal'] | null;
  readonly hands: readonly Pick<Hands, 'engineId' | 'openLeases'>[];
  readonly env: NodeJS.ProcessEnv;
  readonly actor: string;
}

/**
 * Tells every run that may still inject on these engines to end, before its faults are undone: from the request in Postgres on, no
 * undo record of it is stored any more, and without one nothing is injected. Without Postgres the runs that the journals know are told
 * through Temporal, where it answers. Returns the runs that were told. Throws database.unreachable.
 */
export async function abortBeforeRescue(options: AbortBeforeRescueOptions): Promise<readonly string[]> {
  const { actor, db } = options;
  if (db === null) return signalRuns(options);
  const engines = options.hands.map(({ engineId }) => engineId);
  const told: string[] = [];
  for (const runId of await activeRunIds(db)) {
    const run = await findRun(db, runId);
    if (run === null || !engines.includes(run.request.engine_id)) continue;
    await requestAbort(db, { runId, actor, reason: REASON });
    told.push(runId);
  }
  return told;
}

async function signalRuns(options: AbortBeforeRescueOptions): Promise<readonly string[]> {
  const { actor, env, hands, temporal } = options;
  if (temporal === null) return [];
  const to = hostAndPort(temporal.address, 7233);
  if (!(await temporalAnswers({ ...to, withinMs: TEMPORAL_WITHIN_MS }))) return [];
  const leases = (await Promise.all(hands.map((hand) => hand.openLeases()))).flat();
  const runIds = [...new Set(leases.flatMap(({ record }) => record?.lease.run_id ?? []))];
  const told = await Promise.all(
    // A run whose workflow is over cannot be told, and need not be.
    runIds.map((runId) =>
      signalAbort({ temporal, env, runId, actor, reason: REASON }).then(
        () => runId,
        () => null,
      ),
    ),
  );
  return told.filter((runId) => runId !== null);
}
