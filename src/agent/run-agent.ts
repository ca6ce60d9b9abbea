import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dockerEngine } from '../engines/docker/docker-engine.js';
import type { Engine } from '../engines/engine.js';
import { ensureEngineId } from '../engines/engine-identity.js';
import { keepBeating } from '../host/beat.js';
import { ensureInstallationId } from '../host/installation.js';
import { type Log, openLog } from '../host/log.js';
import { systemClock } from '../host/system-clock.js';
import { readVersion } from '../host/version.js';
import { type Mechanisms, mechanisms as allMechanisms } from '../mechanisms/mechanisms.js';
import { MayhemError } from '../model/error.js';
import { sha256Hex } from '../model/digest.js';
import { Agent } from './agent.js';
import { takeAgentLock } from './agent-lock.js';
import { AgentServer } from './agent-server.js';
import { Journal } from './journal.js';
import { type AgentFacts, PROTOCOL_VERSION, socketNameOf } from './protocol.js';

const RETRY_MS = 500;
const LONGEST_SLEEP_MS = 250;
const SHORTEST_SLEEP_MS = 20;

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

  const engineId = await untilDone({
    what: 'engine.wait',
    log,
    signal,
    work: () => identify({ home, engine, dockerHost: options.dockerHost }),
  });
  if (engineId === null) return;
  const unlock = await takeAgentLock({ path: join(home, `agent-${engineId.slice(0, 8)}.lock`) });
  const installationId = await ensureInstallationId({ home });
  const journal = await Journal.open({ file: join(home, `journal-${engineId.slice(0, 8)}.jsonl`), nowMs: Date.now() });
  if (journal.damage.length > 0) log('journal.damaged', { damage: journal.damage });
  const agent = new Agent({
    engine,
    engineId,
    installationId,
    mechanisms: options.mechanisms ?? allMechanisms,
    journal,
    clock: systemClock,
    pins: join(home, 'pins'),
    log,
  });
  await agent.endDue();
  await untilDone({ what: 'sweep', log, signal, work: () => agent.sweepMarks() });

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
  log('agent.ready', { engine_id: engineId, open_leases: agent.openLeases().length });

  await keepDeadlines({ agent, log, signal });

  const reports = await agent.undoAll({ releasedBy: 'agent' });
  if (reports.length > 0)
    log('agent.undone_at_stop', { leases: reports.map((report) => [report.lease_id, report.outcome]) });
  await server.close();
  await journal.close();
  await unlock();
  await rm(join(home, 'run', 'agent.beat'), { force: true });
}

/** The engine's id, which the home remembers by the engine's address, so that a pruned engine gets its old one again. */
async function identify(options: {
  readonly home: string;
  readonly engine: Engine;
  readonly dockerHost: string | null;
}): Promise<string> {
  const file = join(options.home, `engine-${sha256Hex(options.dockerHost ?? '').slice(0, 8)}`);
  const known = await readFile(file, 'utf8').catch(() => null);
  const engineId = await ensureEngineId(options.engine, { known: known?.trim() ?? null });
  if (known?.trim() !== engineId) await writeFile(file, engineId, { mode: 0o600 });
  return engineId;
}

/** Ends what is due, when it is due; a failing engine does not end the loop. */
async function keepDeadlines(options: {
  readonly agent: Agent;
  readonly log: Log;
  readonly signal: AbortSignal;
}): Promise<void> {
  while (!options.signal.aborted) {
    let nextMs: number | null = null;
    try {
      nextMs = await options.agent.endDue();
    } catch (error) {
      options.log('deadline.failed', { problem: (error as Error).message });
      nextMs = RETRY_MS;
    }
    const sleepMs = Math.max(SHORTEST_SLEEP_MS, Math.min(nextMs ?? LONGEST_SLEEP_MS, LONGEST_SLEEP_MS));
    await delay(sleepMs, undefined, { signal: options.signal }).catch(() => undefined);
  }
}

/** Repeats work that waits for the engine until it is done; null when stopped before that. */
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
      const problem = error instanceof MayhemError ? error.message : String(error);
      if (problem !== said) options.log(options.what, { problem });
      said = problem;
      await delay(RETRY_MS, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return null;
}
