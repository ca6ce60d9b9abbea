import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engines/engine.js';
import { ensureEngineId } from '../engines/engine-identity.js';
import { ensureInstallationId } from '../host/installation.js';
import type { Log } from '../host/log.js';
import { systemClock } from '../host/system-clock.js';
import { type Mechanisms, mechanisms as allMechanisms } from '../mechanisms/mechanisms.js';
import { sha256Hex } from '../model/digest.js';
import { Agent } from './agent.js';
import { takeAgentLock } from './agent-lock.js';
import { Journal } from './journal.js';

export interface OpenAgentOptions {
  readonly home: string;
  readonly engine: Engine;
  /** A DOCKER_HOST value; null: the default socket. */
  readonly dockerHost: string | null;
  readonly log: Log;
  readonly mechanisms?: Mechanisms;
}

export interface OpenedAgent {
  readonly agent: Agent;
  readonly journal: Journal;
  readonly engineId: string;
  readonly installationId: string;
  /** Closes the journal and gives the lock back; leases stay as they are. */
  close(): Promise<void>;
}

/**
 * An agent on the engine's lock and journal, in this process: for the agent process itself, and for a rescue when there is none.
 * Throws `engine.unreachable`; `agent.locked` when another process is the engine's agent.
 */
export async function openAgent(options: OpenAgentOptions): Promise<OpenedAgent> {
  const { engine, home, log } = options;
  const engineId = await identify(options);
  const unlock = await takeAgentLock({ path: join(home, `agent-${engineId.slice(0, 8)}.lock`) });
  const installationId = await ensureInstallationId({ home });
  const journal = await Journal.open({
    file: join(home, `journal-${engineId.slice(0, 8)}.jsonl`),
    nowMs: systemClock.wallMs(),
  });
  if (journal.damage.length > 0) log('journal.damaged', { damage: journal.damage });
  const mechanisms = options.mechanisms ?? allMechanisms;
  const pins = join(home, 'pins');
  return {
    agent: new Agent({ engine, engineId, installationId, mechanisms, journal, clock: systemClock, pins, log }),
    journal,
    engineId,
    installationId,
    async close() {
      await journal.close();
      await unlock();
    },
  };
}

/** The engine's id, which the home remembers by the engine's address, so that a pruned engine gets its old one again. */
async function identify(options: OpenAgentOptions): Promise<string> {
  const file = join(options.home, `engine-${sha256Hex(options.dockerHost ?? '').slice(0, 8)}`);
  const known = await readFile(file, 'utf8').catch(() => null);
  const engineId = await ensureEngineId(options.engine, { known: known?.trim() ?? null });
  if (known?.trim() !== engineId) await writeFile(file, engineId, { mode: 0o600 });
  return engineId;
}
