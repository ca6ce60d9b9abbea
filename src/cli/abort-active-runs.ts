import { connectAgents } from '../agent/agent-client.js';
import { type Database, openDatabase } from '../evidence/database.js';
import { refuseRun } from '../evidence/end-run.js';
import { requestAbort } from '../evidence/request-store.js';
import type { RunRow } from '../evidence/run-row.js';
import { activeRunIds, findRun } from '../evidence/run-store.js';
import type { Config } from '../model/config.js';
import { postgresAnswers } from '../stack/answers.js';
import { locateStack } from '../stack/ensure-stack.js';
import type { Home } from '../stack/home.js';
import type { StackLocation } from '../stack/stack-file.js';
import { livingProcess } from '../stack/pid-file.js';
import { abortRun } from './abort-run.js';
import { currentActor } from './actor.js';
import { closeLeases } from './close-leases.js';
import { closeAll } from './connect-agent.js';
import type { CommandContext } from './context.js';

const WITHIN_MS = 10_000;

/**
 * Aborts the runs in progress before the stack goes, so that their histories say why they ended. As far as possible: where
 * database or worker are away, the agents undo what is in force all the same.
 */
export async function abortActiveRuns(options: StackOptions): Promise<void> {
  const { context, home } = options;
  if (livingProcess(home, 'worker') === null) return;
  await onDatabase(options, async (db, location) => {
    const runIds = (await ownRuns(db, home)).map((run) => run.run_id);
    if (runIds.length === 0) return;
    context.output.progress(`aborting ${runIds.join(', ')}`);
    const actor = currentActor({ uid: context.uid });
    const { env } = context;
    const { temporal } = location;
    const abort = (runId: string) =>
      abortRun({ db, temporal, env, runId, actor, reason: 'mayhem down', withinMs: WITHIN_MS });
    await Promise.all(runIds.map(abort));
    await closeLeases({ db, home, runIds, withinMs: WITHIN_MS });
  });
}

/**
 * Ends the runs that no worker will take now: those never admitted are refused; of those admitted nothing more starts, since the request
 * for their abort is in the database. Called when the worker is gone and the agent still there.
 */
export async function endUnattended(options: StackOptions): Promise<void> {
  const { context, home } = options;
  await onDatabase(options, async (db) => {
    const actor = currentActor({ uid: context.uid });
    for (const run of await ownRuns(db, home)) {
      context.output.progress(`ending ${run.run_id}`);
      await requestAbort(db, { runId: run.run_id, actor, reason: 'mayhem down' });
      if (run.binding !== null) continue;
      const problem = { code: 'starts.stopped', message: 'mayhem down ended it before it was admitted' };
      await refuseRun(db, { runId: run.run_id, problem, decisions: [], at: new Date().toISOString() });
    }
  });
}

interface StackOptions {
  readonly context: CommandContext;
  readonly home: Home;
  readonly config: Config;
}

/** Runs `work` on the evidence database where it answers; what goes wrong is a warning, since the stack is going anyway. */
async function onDatabase(
  options: StackOptions,
  work: (db: Database, location: StackLocation) => Promise<void>,
): Promise<void> {
  const location = locateStack(options);
  if (location === null) return;
  const { hostname, port } = new URL(location.databaseUrl);
  const embedded = options.config.database_url === null;
  if (embedded && !(await postgresAnswers({ host: hostname, port: Number(port), withinMs: 1000 }))) return;
  const db = openDatabase({
    url: location.databaseUrl,
    applicationName: 'mayhem-down',
    maxConnections: 2,
    connectTimeoutMs: 2000,
  });
  try {
    await work(db, location);
  } catch (error) {
    const message = `the runs in progress could not be aborted: ${(error as Error).message}`;
    options.context.output.notices([{ level: 'warning', message }]);
  } finally {
    await db.destroy();
  }
}

/** Runs on the engines of this home's agents: a shared database holds those of others too. */
async function ownRuns(db: Database, home: Home): Promise<readonly RunRow[]> {
  const agents = await connectAgents({ home: home.path });
  const engines = agents.map((agent) => agent.engineId);
  closeAll(agents);
  const runs = await Promise.all((await activeRunIds(db)).map((runId) => findRun(db, runId)));
  return runs.flatMap((run) => (run !== null && engines.includes(run.request.engine_id) ? [run] : []));
}
