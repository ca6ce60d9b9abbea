import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dockerEngine } from '../engines/docker/docker-engine.js';
import { keepBeating } from '../host/beat.js';
import { type Log, openLog } from '../host/log.js';
import { readVersion } from '../host/version.js';
import type { Mechanisms } from '../mechanisms/mechanisms.js';
import { MayhemError } from '../model/error.js';
import type { Agent } from './agent.js';
import { AgentServer } from './agent-server.js';
import { openAgent } from './open-agent.js';
import { type AgentFacts, PROTOCOL_VERSION, socketNameOf } from './protocol.js';

const RETRY_MS = 500;
const LONGEST_SLEEP_MS = 250;
const SHORTEST_SLEEP_MS = 20;
const SWEEP_MS = 60_000;

export interface RunAgentOptions {
  readonly home: string;
  /** A DOCKER_HOST value; null: the default socket. */
  readonly dockerHost: string | null;
  readonly signal: AbortSignal;
  readonly mechanisms?: Mechanisms;
}

/**
 * The agent as a process: waits for its engine, takes the engine's lock, sweeps what an earlier agent left, then listens and keeps
 * deadlines until the signal fires. Then it ends every open lease before it goes: whoever stops it may never start it again.
 */
export async function runAgent(options: RunAgentOptions): Promise<void> {
  const { home, signal } = options;
  const log = openLog({ name: 'agent' });
  keepBeating({ file: join(home, 'run', 'agent.beat'), signal });
  const engine = dockerEngine({ host: options.dockerHost });
  const startedAt = new Date().toISOString();

  const opened = await untilDone({
    what: 'engine.wait',
    log,
    signal,
    work: () => openAgent({ ...options, engine, log }),
  });
  if (opened === null) return;
  const { agent, journal, engineId, installationId } = opened;
  await agent.endDue();
  await untilDone({ what: 'sweep', log, signal, work: () => agent.sweepMarks({ releasedBy: 'agent' }) });

  const facts = async (): Promise<AgentFacts> => ({
    protocol: PROTOCOL_VERSION,
    version: readVersion(),
    engine_id: engineId,
    engine_kind: engine.kind,
    engine_version: await engine.version().catch(() => null),
    installation_id: installationId,
    pid: process.pid,
    started_at: startedAt,
    journal_damage: journal.damage,
  });
  const server = await AgentServer.listen({ path: join(home, socketNameOf(engineId)), agent, facts });
  agent.resumeDrives();
  log('agent.ready', { engine_id: engineId, open_leases: agent.openLeases().length });

  await keepDeadlines({ agent, log, signal });

  await agent.stop();
  const reports = await agent.undoAll({ releasedBy: 'agent' });
  if (reports.length > 0)
    log('agent.undone_at_stop', { leases: reports.map((report) => [report.lease_id, report.outcome]) });
  await server.close();
  await opened.close();
  await rm(join(home, 'run', 'agent.beat'), { force: true });
}

/** Ends what is due, when it is due, and looks for stray marks once a minute; a failing engine does not end the loop. */
async function keepDeadlines(options: {
  readonly agent: Agent;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { agent, log, signal } = options;
  let sweepAt = performance.now() + SWEEP_MS;
  while (!signal.aborted) {
    let nextMs: number | null = null;
    try {
      nextMs = await agent.endDue();
      if (performance.now() >= sweepAt) {
        sweepAt = performance.now() + SWEEP_MS;
        // Beside the deadlines, not before them.
        void agent
          .sweepMarks({ releasedBy: 'agent' })
          .catch((error: unknown) => log('sweep.failed', { problem: (error as Error).message }));
      }
    } catch (error) {
      log('deadline.failed', { problem: (error as Error).message });
      nextMs = RETRY_MS;
    }
    const sleepMs = Math.max(SHORTEST_SLEEP_MS, Math.min(nextMs ?? LONGEST_SLEEP_MS, LONGEST_SLEEP_MS));
    await delay(sleepMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Repeats work that waits for the engine until it is done; null when stopped before that. Another agent's lock ends the wait. */
async function untilDone<T>(options: {
  readonly what: string;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly work: () => Promise<T>;
}): Promise<T | null> {
  let said = '';
  while (!options.signal.aborted) {
    try {
      return await options.work();
    } catch (error) {
      if (error instanceof MayhemError && error.code === 'agent.locked') throw error;
      const problem = error instanceof MayhemError ? error.message : String(error);
      if (problem !== said) options.log(options.what, { problem });
      said = problem;
      await delay(RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return null;
}
