import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { atBoundary } from '../activities/activity-boundary.js';
import { controlActivities } from '../activities/control-activities.js';
import { engineActivities } from '../activities/engine-activities.js';
import { type Database, openDatabase } from '../evidence/database.js';
import { activeRunIds } from '../evidence/run-store.js';
import { beat, deadWorkers, forgetWorker } from '../evidence/worker-store.js';
import { keepBeating } from '../host/beat.js';
import { type Log, openLog } from '../host/log.js';
import { readVersion } from '../host/version.js';
import { Agents } from './agents.js';
import { importTombstones } from './import-tombstones.js';
import { forwardAborts, resetSticky } from './reconcile.js';

const RETRY_MS = 250;
const TEND_MS = 500;
/** Activities at once on each queue: a probing activity takes a place for the whole of its run. */
const ACTIVITIES_AT_ONCE = 1_000;

export interface RunWorkerOptions {
  readonly home: string;
  readonly databaseUrl: string;
  readonly temporal: { readonly address: string; readonly namespace: string; readonly taskQueue: string };
  readonly signal: AbortSignal;
}

/**
 * The worker as a process: drills and their activities, on its own queue and on one for each engine whose agent it reaches. Waits
 * for Temporal and Postgres; ends when the signal fires.
 */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { signal, temporal } = options;
  // Every wait of this process listens to it.
  setMaxListeners(0, signal);
  const log = openLog({ name: 'worker' });
  // The server's restarts are waited out; what the SDK has to say about each retry is its own business.
  Runtime.install({
    logger: {
      log() {},
      trace() {},
      debug() {},
      info() {},
      warn: (text) => log('sdk.warning', { text }),
      error: (text, meta) => log('sdk.error', { text, ...meta }),
    },
  });
  const connection = await connected({ address: temporal.address, log, signal });
  if (connection === null) return;
  const db = openDatabase({ url: options.databaseUrl, applicationName: 'mayhem worker' });
  const client = new Client({ connection, namespace: temporal.namespace });
  const agents = new Agents({ home: options.home });
  const shared = {
    connection,
    namespace: temporal.namespace,
    maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
    shutdownGraceTime: '5s',
    maxHeartbeatThrottleInterval: '500ms',
    defaultHeartbeatThrottleInterval: '500ms',
  } as const;
  const workers: Worker[] = [];
  const running: Promise<void>[] = [];
  const stop = new AbortController();
  const start = (worker: Worker) => {
    workers.push(worker);
    running.push(
      worker.run().catch((error: unknown) => {
        log('worker.failed', { problem: String(error) });
        stop.abort();
      }),
    );
  };

  try {
    start(
      await Worker.create({
        ...shared,
        taskQueue: temporal.taskQueue,
        workflowBundle: { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) },
        activities: atBoundary({ ...controlActivities({ db, agentOf: (engineId) => agents.of(engineId) }) }),
      }),
    );
    const serveEngines = async () => {
      for (const engineId of await agents.refresh()) {
        start(
          await Worker.create({
            ...shared,
            taskQueue: `mayhem-engine-${engineId}`,
            activities: atBoundary({ ...engineActivities({ db, agent: await agents.of(engineId) }) }),
          }),
        );
        log('worker.serves_engine', { engine_id: engineId });
      }
    };
    await serveEngines();
    keepBeating({ file: join(options.home, 'run', 'worker.beat'), signal });
    log('worker.ready', { queue: temporal.taskQueue });
    await tend({ db, client, agents, log, signal: AbortSignal.any([signal, stop.signal]), serveEngines });
  } finally {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await Promise.all(running);
    agents.close();
    await db.destroy();
    await connection.close();
    await rm(join(options.home, 'run', 'worker.beat'), { force: true });
  }
  if (stop.signal.aborted && !signal.aborted) throw new Error('a Temporal worker ended by itself');
}

/** What is done twice a second beside the drills: beat, agents, tombstones, aborts, workers that died. Failures are logged and tried again. */
async function tend(options: {
  readonly db: Database;
  readonly client: Client;
  readonly agents: Agents;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly serveEngines: () => Promise<void>;
}): Promise<void> {
  const { db, client, agents, log, signal } = options;
  const workerId = randomUUID();
  const said = new Map<string, string>();
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
      said.delete(what);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (said.get(what) !== problem) log(`${what}.failed`, { problem });
      said.set(what, problem);
    }
  };
  // Whatever a worker before this one held, it holds no more.
  let takeOver = true;
  while (!signal.aborted) {
    await attempt('engines', options.serveEngines);
    for (const agent of agents.all) await attempt('tombstones', () => importTombstones({ db, agent }));
    await attempt('aborts', () => forwardAborts({ db, client }));
    await attempt('beat', () =>
      beat(db, {
        workerId,
        host: hostname(),
        pid: process.pid,
        version: readVersion(),
        queues: agents.all.map((agent) => `mayhem-engine-${agent.engineId}`),
      }),
    );
    await attempt('sticky', async () => {
      for (const dead of await deadWorkers(db)) if (await forgetWorker(db, dead.worker_id)) takeOver = true;
      if (!takeOver) return;
      await resetSticky({ client, runIds: await activeRunIds(db) });
      takeOver = false;
    });
    await delay(TEND_MS, undefined, { signal }).catch(() => undefined);
  }
  await forgetWorker(db, workerId).catch(() => undefined);
}

async function connected(options: {
  readonly address: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<NativeConnection | null> {
  let said = false;
  while (!options.signal.aborted) {
    try {
      return await NativeConnection.connect({ address: options.address });
    } catch (error) {
      if (!said) options.log('temporal.wait', { address: options.address, problem: String(error) });
      said = true;
      await delay(RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return null;
}
