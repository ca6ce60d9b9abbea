import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { acceptsConnection } from './answers.js';
import { beatFileOf, lastBeatMs, STALE_AFTER_MS } from './beat.js';
import type { Component } from './component.js';
import type { Home } from './home.js';
import { problemOf } from './problem.js';
import type { StackLocation } from './stack-file.js';

export interface OwnProgram {
  /** Node itself, and the entry point of this package. */
  readonly node: string;
  readonly entry: string;
  readonly version: string;
}

interface NodeComponentOptions {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly own: OwnProgram;
  readonly location: StackLocation;
}

/** The hands: `mayhem agent`. Ready when its socket takes connections, which waits for its engine to answer. */
export function agentComponent(
  options: NodeComponentOptions & {
    /** Throws engine.unreachable. */
    readonly engineAnswers: () => Promise<void>;
  },
): Component {
  const { home } = options;
  const beatFile = beatFileOf(home, 'agent');
  return {
    ...nodeComponent('agent', options),
    beatFile,
    needs: [],
    answers: async (startedAtMs) => beatsSince(beatFile, startedAtMs) && (await aSocketAnswers(home)),
    obstacle: async () => {
      try {
        await options.engineAnswers();
        return null;
      } catch (error) {
        return problemOf(error);
      }
    },
  };
}

/** The Temporal worker: `mayhem worker`. Ready at its first beat. */
export function workerComponent(options: NodeComponentOptions): Component {
  const beatFile = beatFileOf(options.home, 'worker');
  return {
    ...nodeComponent('worker', options),
    beatFile,
    needs: ['postgres', 'temporal'],
    answers: async (startedAtMs) => beatsSince(beatFile, startedAtMs),
  };
}

function nodeComponent(name: 'agent' | 'worker', options: NodeComponentOptions): Omit<Component, 'needs' | 'answers'> {
  const { home, location, own } = options;
  return {
    name,
    address: null,
    beatFile: beatFileOf(home, name),
    prepare: async () => {},
    launch: async () => ({
      program: own.node,
      args: [own.entry, name, '--set', `temporal.task_queue=${location.temporal.taskQueue}`],
      env: {
        ...options.env,
        MAYHEM_HOME: home.path,
        MAYHEM_DATABASE_URL: location.databaseUrl,
        TEMPORAL_ADDRESS: location.temporal.address,
        TEMPORAL_NAMESPACE: location.temporal.namespace,
      },
      cwd: home.path,
    }),
    version: async () => own.version,
    afterReady: async () => {},
    obstacle: async () => null,
  };
}

/** A beat of this life: file times are a little coarser than the clock, hence the allowance. */
function beatsSince(file: string, startedAtMs: number): boolean {
  const beat = lastBeatMs(file);
  return beat !== null && beat >= startedAtMs - 20 && Date.now() - beat < STALE_AFTER_MS;
}

/** Agents listen on `agent-<start of their engine's id>.sock`, which the stack does not know. */
async function aSocketAnswers(home: Home): Promise<boolean> {
  for (const name of readdirSync(home.path)) {
    if (!/^agent-.*\.sock$/.test(name)) continue;
    if (await acceptsConnection({ to: { path: join(home.path, name) }, withinMs: 500 })) return true;
  }
  return false;
}
