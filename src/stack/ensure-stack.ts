import { spawn } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../model/config.js';
import { type ErrorCode, isErrorCode, MayhemError } from '../model/error.js';
import { COMPONENTS, type ComponentName } from './component.js';
import { checkConfigured } from './configured-addresses.js';
import { type Home, prepareHome } from './home.js';
import { lastLines, logFileOf, openLog } from './log-file.js';
import type { OwnProgram } from './node-component.js';
import { livingNotes, type Problem, type SupervisorNotes } from './notes.js';
import { livingProcess } from './pid-file.js';
import { locationOf, readStackFile, type StackFile, type StackLocation } from './stack-file.js';
import { isServedElsewhere } from './problem.js';
import { lockHolder } from './supervisor-lock.js';

export interface EnsureStackOptions {
  readonly home: Home;
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  readonly own: OwnProgram;
  /** One line a step, for people. */
  readonly progress: (line: string) => void;
  /** How long everything may take to become ready; default 60 s. */
  readonly withinMs?: number;
}

/**
 * Brings up what is not configured elsewhere, or finds it running, and waits until all of it is ready. Two callers at
 * once end up with one stack. Throws temporal.unreachable or database.unreachable for a configured address that refuses,
 * engine.unreachable when all but the agent is ready because its engine is not there, tool.missing, stack.failed.
 */
export async function ensureStack(options: EnsureStackOptions): Promise<StackLocation> {
  const { home } = options;
  await checkConfigured(options.config);
  if (!existsSync('/proc/self/stat')) throw noProc();
  prepareHome(home);
  const end = performance.now() + (options.withinMs ?? 60_000);
  const supervisor = lockHolder(home) === null ? startSupervisor(options) : null;
  const shown = new Set<ComponentName>();
  let waited = false;
  for (;;) {
    const stack = readStackFile(home);
    const notes = livingNotes(home);
    if (stack !== null && notes !== null) {
      checkSameSettings(stack, options.config);
      const ready = readiness(notes) === 'ready';
      // Of a stack that is found running there is nothing to tell.
      if (!ready || waited) showReady({ home, notes, shown, progress: options.progress });
      if (ready) return locationOf(stack);
    } else if (supervisor?.ended() === true && lockHolder(home) === null) {
      throw supervisorFailed(home);
    }
    if (performance.now() > end) throw notReady(home, notes);
    waited = true;
    await sleep(25);
  }
}

/** Where a stack that was once brought up here is reached, whether it runs or not; null when there never was one. */
export function locateStack(options: { readonly home: Home; readonly config: Config }): StackLocation | null {
  const { config, home } = options;
  const stack = readStackFile(home);
  if (stack === null && (config.database_url === null || config.temporal.address === null)) return null;
  const embedded = stack === null ? null : locationOf(stack);
  return {
    databaseUrl: config.database_url ?? embedded?.databaseUrl ?? '',
    temporal: {
      address: config.temporal.address ?? embedded?.temporal.address ?? '',
      namespace: config.temporal.namespace,
      taskQueue: config.temporal.task_queue,
    },
  };
}

function startSupervisor(options: EnsureStackOptions): { readonly ended: () => boolean } {
  const { config, env, home, own } = options;
  const log = openLog(home, 'supervisor');
  const child = spawn(
    own.node,
    [own.entry, 'supervise', '--set', `temporal.task_queue=${config.temporal.task_queue}`],
    {
      cwd: home.path,
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        ...env,
        MAYHEM_HOME: home.path,
        MAYHEM_DATABASE_URL: config.database_url ?? undefined,
        TEMPORAL_ADDRESS: config.temporal.address ?? undefined,
        TEMPORAL_NAMESPACE: config.temporal.namespace,
      },
    },
  );
  closeSync(log);
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', () => {
    ended = true;
  });
  child.unref();
  return { ended: () => ended };
}

function showReady(options: {
  readonly home: Home;
  readonly notes: SupervisorNotes;
  readonly shown: Set<ComponentName>;
  readonly progress: (line: string) => void;
}): void {
  for (const name of COMPONENTS) {
    if (options.shown.has(name) || options.notes.components[name]?.state !== 'running') continue;
    const file = livingProcess(options.home, name);
    if (file === null) continue;
    options.shown.add(name);
    const address = file.address === null ? '' : `, ${file.address}`;
    const ageS = ((Date.now() - Date.parse(file.started_at)) / 1000).toFixed(1);
    options.progress(`${name} ready (pid ${file.pid}${address}, up ${ageS} s)`);
  }
}

function readiness(notes: SupervisorNotes): 'ready' | 'not yet' {
  let missing: Problem | null = null;
  for (const name of COMPONENTS) {
    const note = notes.components[name];
    if (note === undefined || note.state === 'running') continue;
    if (note.state === 'starting') return 'not yet';
    const problem = note.problem;
    if (problem !== null && isServedElsewhere(problem)) continue;
    if (name !== 'agent' && problem !== null) throw errorOf(problem);
    missing = problem;
  }
  if (missing !== null) throw errorOf(missing);
  return 'ready';
}

function errorOf(problem: Problem): MayhemError {
  const code: ErrorCode = isErrorCode(problem.code) ? problem.code : 'stack.failed';
  return new MayhemError(code, problem.message, problem.hint === null ? {} : { hint: problem.hint });
}

function checkSameSettings(stack: StackFile, config: Config): void {
  const same =
    stack.configured.database_url === config.database_url &&
    stack.configured.temporal_address === config.temporal.address &&
    stack.namespace === config.temporal.namespace &&
    stack.task_queue === config.temporal.task_queue;
  if (same) return;
  throw new MayhemError(
    'stack.failed',
    'the running stack was brought up with other settings for Temporal or the database',
    {
      hint: 'Run `mayhem down` first, or use the settings that it was brought up with.',
    },
  );
}

function noProc(): MayhemError {
  return new MayhemError('stack.failed', 'the embedded stack knows its processes by /proc, which this machine lacks', {
    hint: 'Run it on Linux, or configure Temporal and Postgres and start `mayhem agent` and `mayhem worker` yourself.',
  });
}

function supervisorFailed(home: Home): MayhemError {
  const path = logFileOf(home, 'supervisor');
  const last = lastLines({ path, count: 1 })[0] ?? '';
  // A line of its log proper is a step that went well; only an error it printed says why it ended.
  const why = last === '' || last.startsWith('{') ? '' : `: ${last}`;
  return new MayhemError('stack.failed', `the supervisor ended at its start${why}`, {
    hint: `It may have been stopped by \`mayhem down\`; its log is ${path}.`,
  });
}

function notReady(home: Home, notes: SupervisorNotes | null): MayhemError {
  const missing = COMPONENTS.filter((name) => {
    const note = notes?.components[name];
    return notes === null || (note !== undefined && note.state !== 'running');
  });
  return new MayhemError('stack.failed', `not ready in time: ${missing.join(', ')}`, {
    hint: `Their logs are in ${home.logs}; \`mayhem status\` shows what each waits for.`,
  });
}
