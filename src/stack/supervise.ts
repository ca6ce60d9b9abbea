import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../model/config.js';
import type { Component } from './component.js';
import type { Home } from './home.js';
import { prepareHome } from './home.js';
import { Keeper, type KeeperEvent } from './keeper.js';
import { notesFile, writeNotes } from './notes.js';
import { agentComponent, type OwnProgram, workerComponent } from './node-component.js';
import { postgresComponent } from './postgres-component.js';
import { identityOf } from '../host/process-identity.js';
import { settleStack } from './settle-stack.js';
import { locationOf, type StackFile } from './stack-file.js';
import { clearLock, holdsLock, takeLock } from './supervisor-lock.js';
import { temporalComponent } from './temporal-component.js';

/**
 * The supervisor of one home: starts what is not configured elsewhere and keeps it running until `signal`, then lets go of
 * it all without stopping anything. Returns at once when another supervisor of this home lives.
 */
export async function superviseStack(options: {
  readonly home: Home;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly uid: number;
  readonly own: OwnProgram;
  readonly migrate: (databaseUrl: string) => Promise<void>;
  /** Throws engine.unreachable. */
  readonly engineAnswers: () => Promise<void>;
  readonly log: (event: KeeperEvent | { readonly event: string; readonly problem?: string }) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { home, log, signal } = options;
  prepareHome(home);
  if (!takeLock(home)) return;
  const stack = await settleStack({ home, config: options.config });
  const components = componentsOf({ ...options, stack });
  const startedAt = new Date().toISOString();
  const identity = identityOf(process.pid);
  const changed = () => {
    if (identity === null || !existsSync(home.run)) return;
    const notes = Object.fromEntries(keepers.map((keeper) => [keeper.name, keeper.note]));
    try {
      writeNotes(home, { ...identity, version: options.own.version, started_at: startedAt, components: notes });
    } catch (error) {
      // A full disk must not end the supervision.
      log({ event: 'notes.failed', problem: String(error) });
    }
  };
  const keepers: Keeper[] = components.map((component) => new Keeper({ component, home, log, changed }));
  changed();
  const failed = new AbortController();
  for (const [index, keeper] of keepers.entries()) {
    const needs = components[index]?.needs ?? [];
    keeper.keep(keepers.filter((other) => needs.includes(other.name))).catch((error: unknown) => {
      log({ event: 'keeper.failed', component: keeper.name, problem: String(error) });
      failed.abort();
    });
  }
  while (!signal.aborted && !failed.signal.aborted && existsSync(home.run) && holdsLock(home)) await sleep(200);
  if (!existsSync(home.run)) {
    log({ event: 'home.gone' });
    for (const keeper of keepers) keeper.kill();
    return;
  }
  if (!holdsLock(home)) return;
  rmSync(notesFile(home), { force: true });
  clearLock(home);
}

function componentsOf(options: Parameters<typeof superviseStack>[0] & { readonly stack: StackFile }): Component[] {
  const { env, home, own, stack, uid } = options;
  const location = locationOf(stack);
  const migrate = () => options.migrate(location.databaseUrl);
  const components: Component[] = [];
  const embedded = {
    postgres: stack.configured.database_url === null,
    temporal: stack.configured.temporal_address === null,
  };
  if (embedded.postgres) components.push(postgresComponent({ home, env, uid, ...stack.postgres, migrate }));
  if (embedded.temporal) {
    components.push(temporalComponent({ home, env, port: stack.temporal.port, namespace: stack.namespace }));
  }
  components.push(agentComponent({ home, env, own, location, engineAnswers: options.engineAnswers }));
  const worker = workerComponent({ home, env, own, location });
  // A database of the user's own is brought up to date before the worker that needs it.
  components.push(embedded.postgres ? worker : { ...worker, prepare: migrate });
  return components;
}
