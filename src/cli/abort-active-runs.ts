import { connectAgents } from '../agent/agent-client.js';
import { type Database, openDatabase } from '../evidence/database.js';
import { activeRunIds, findRun } from '../evidence/run-store.js';
import type { Config } from '../model/config.js';
import { postgresAnswers } from '../stack/answers.js';
import { locateStack } from '../stack/ensure-stack.js';
import type { Home } from '../stack/home.js';
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
export async function abortActiveRuns(options: {
  readonly context: CommandContext;
  readonly home: Home;
  readonly config: Config;
}): Promise<void> {
  const { context, home } = options;
  const location = locateStack(options);
  if (location === null || livingProcess(home, 'worker') === null) return;
  const { hostname, port } = new URL(location.databaseUrl);
  if (
    options.config.database_url === null &&
    !(await postgresAnswers({ host: hostname, port: Number(port), withinMs: 1000 }))
  )
    return;
  const db = openDatabase({
    url: location.databaseUrl,
    applicationName: 'mayhem-down',
    maxConnections: 2,
    connectTimeoutMs: 2000,
  });
  try {
    const runIds = await ownRuns(db, home);
    if (runIds.length === 0) return;
    context.output.progress(`aborting ${runIds.join(', ')}`);
    const actor = currentActor({ uid: context.uid });
    const { env } = context;
    const { temporal } = location;
    const abort = (runId: string) =>
      abortRun({ db, temporal, env, runId, actor, reason: 'mayhem down', withinMs: WITHIN_MS });
    await Promise.all(runIds.map(abort));
    await closeLeases({ db, home, runIds, withinMs: WITHIN_MS });
  } catch (error) {
    const message = `the runs in progress could not be aborted: ${(error as Error).message}`;
    context.output.notices([{ level: 'warning', message }]);
  } finally {
    await db.destroy();
  }
}

/** Runs on the engines of this home's agents: a shared database holds those of others too. */
async function ownRuns(db: Database, home: Home): Promise<readonly string[]> {
  const agents = await connectAgents({ home: home.path });
  const engines = agents.map((agent) => agent.engineId);
  closeAll(agents);
  const runs = await Promise.all((await activeRunIds(db)).map((runId) => findRun(db, runId)));
  return runs.flatMap((run) => (run !== null && engines.includes(run.request.engine_id) ? [run.run_id] : []));
}
