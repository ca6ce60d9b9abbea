import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MayhemError } from '../../model/error.js';
import type { UndoRecord } from '../../model/lease.js';
import { toolkitFile } from '../toolkit.js';
import { markOf, recipeOf, type StressRecipe } from './recipe.js';
import { parseTrace, type StressorTrace } from './trace.js';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/**
 * Short rounds of work, one between two naps: the nap's length is made from the work's, and a round of a millisecond or two is seldom
 * interrupted. Of stress-ng's methods this one came nearest to the load asked for at 5, 25 and 45 % of a CPU, busy host or not.
 */
const METHOD = ['--cpu-method', 'queens', '--cpu-load-slice', '-1'];

/**
 * Starts the stressor in a session of its own, so that it outlives us, with nothing of ours open in it. Its environment is the mark.
 * Throws `engine.failed` when it cannot be started.
 */
export async function launchStressor(options: {
  readonly record: UndoRecord;
  readonly folder: string;
  readonly nowMs: number;
}): Promise<void> {
  const { record, folder } = options;
  const recipe = recipeOf(record);
  const mark = markOf(record.lease);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(traceIn(folder), '');
  const args = [
    toolkitFile('stressor'),
    traceIn(folder),
    String(recipe.watched_pid),
    String(recipe.groups.length),
    ...recipe.groups.map((group) => join(group.folder, 'cgroup.procs')),
    recipe.stress_ng,
    ...stressNgArgs(recipe, folder),
  ];
  const child = spawn('/bin/sh', args, {
    detached: true,
    stdio: 'ignore',
    cwd: folder,
    env: {
      PATH,
      [mark.name]: mark.value,
      MAYHEM_INSTALLATION: record.installation_id,
      MAYHEM_DEADLINE: new Date(options.nowMs + recipe.timeout_s * 1000).toISOString(),
    },
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) =>
      reject(new MayhemError('engine.failed', `the stressor cannot be started: ${cause.message}`, { cause })),
    );
  });
  child.unref();
}

/** stress-ng(1). Its workers keep their name; one that is killed for want of memory is not started again. */
function stressNgArgs(recipe: StressRecipe, folder: string): readonly string[] {
  const load = ['--cpu', String(recipe.workers), '--cpu-load', String(recipe.percent_each), ...METHOD];
  return ['--quiet', '--keep-name', '--oomable', '--temp-path', folder, ...load, '--timeout', `${recipe.timeout_s}s`];
}

/** What the launcher has written so far; null: it was never started, or its folder is gone. */
export async function readTrace(folder: string): Promise<StressorTrace | null> {
  try {
    return parseTrace(await readFile(traceIn(folder), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export async function removeTrace(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

export async function isTraceLeft(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

function traceIn(folder: string): string {
  return join(folder, 'trace');
}
