import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readCgroups, readKernelText } from '../../engines/host/cgroups.js';
import { findMarked, type MarkedProcess, readCpuNs } from '../../engines/host/marked-processes.js';
import { readBootId, readUptimeMs } from '../../engines/host/uptime.js';
import type { JsonObject } from '../../model/json.js';
import type { ProofOutcome, UndoRecord } from '../../model/lease.js';
import type { Reading } from '../mechanism.js';
import { readTrace } from './launch.js';
import { markOf, recipeOf } from './recipe.js';
import { ranFullTime, type StressorTrace } from './trace.js';

/** A stressor that starts has this long to be at work; so has one whose host is busy. */
const PATIENCE_MS = 1_500;
const LOOK_EVERY_MS = 4;
/** CPU time that must be seen to pass: more than the readings' own grain. */
const MOVED_NS = 500_000;

/**
 * Looks at the stressor from outside: all its workers alive and in every control group of the target that they joined, and CPU time passing
 * in them. Waits for that only while the stressor may be starting; returns as soon as it is seen.
 */
export async function readStressor(options: {
  readonly record: UndoRecord;
  readonly folder: string;
  readonly signal: AbortSignal;
}): Promise<Reading<ProofOutcome>> {
  const { record, folder } = options;
  const recipe = recipeOf(record);
  const begunMs = performance.now();
  let first: Look | null = null;
  for (;;) {
    const look = await lookAt(record);
    if (look.complete) {
      first ??= look;
      const movedNs = look.cpuNs - first.cpuNs;
      if (movedNs >= MOVED_NS && look.astray.length === 0) {
        const read = { ...readingOf(look), moved_ms: toMs(movedNs), ...(await burntSince(record, folder, look)) };
        return { outcome: 'confirmed', read };
      }
    }
    const trace = await readTrace(folder);
    const overdue = performance.now() - begunMs > PATIENCE_MS;
    const isOver = look.alive === 0 && (trace === null || trace.ended_ms !== null || trace.refused !== null);
    const isDead = look.alive === 0 && trace?.pid != null && !(await isMarked(record, trace.pid));
    if (isOver || isDead || overdue) {
      const read = { ...readingOf(look), trace: trace as JsonObject | null };
      return {
        outcome: outcomeOf({ look, trace, timeoutMs: recipe.timeout_s * 1000, bootId: await readBootId() }),
        read,
      };
    }
    await delay(LOOK_EVERY_MS, undefined, { signal: options.signal });
  }
}

interface Look {
  /** Marked processes in the target's CPU group. */
  readonly alive: number;
  readonly workers: readonly MarkedProcess[];
  readonly wanted: number;
  readonly complete: boolean;
  /** Workers that are not in all groups they should be in. */
  readonly astray: readonly number[];
  readonly stopped: boolean;
  readonly cpuNs: number;
}

async function lookAt(record: UndoRecord): Promise<Look> {
  const { groups, workers: wanted } = recipeOf(record);
  const cpu = groups.find((group) => group.controllers === '' || group.controllers.split(',').includes('cpu'));
  const listed = cpu === undefined ? null : await readKernelText(join(cpu.folder, 'cgroup.procs'));
  const pids = (listed ?? '').split('\n').flatMap((line) => (line === '' ? [] : [Number(line)]));
  const marked = await findMarked({ mark: markOf(record.lease), pids });
  const inGroup = new Set(marked.map((process) => process.pid));
  // The stressor itself only waits; those it forked do the work.
  const workers = marked.filter((process) => inGroup.has(process.ppid));
  const complete = workers.length === wanted;
  const astray = complete
    ? await strayFrom(
        workers,
        groups.map((group) => group.folder),
      )
    : [];
  return {
    alive: marked.length,
    workers,
    wanted,
    complete,
    astray,
    stopped: workers.some(({ state }) => state === 'T' || state === 't'),
    cpuNs: workers.reduce((sum, { pid }) => sum + (readCpuNs(pid) ?? 0), 0),
  };
}

async function strayFrom(workers: readonly MarkedProcess[], folders: readonly string[]): Promise<readonly number[]> {
  const astray: number[] = [];
  for (const { pid } of workers) {
    const joined = new Set((await readCgroups(pid))?.map((group) => group.folder));
    if (!folders.every((folder) => joined.has(folder))) astray.push(pid);
  }
  return astray;
}

async function isMarked(record: UndoRecord, pid: number): Promise<boolean> {
  return (await findMarked({ mark: markOf(record.lease), pids: [pid] })).length > 0;
}

/** What a look without passing CPU time means. Pure. */
function outcomeOf(options: {
  readonly look: Look;
  readonly trace: StressorTrace | null;
  readonly timeoutMs: number;
  readonly bootId: string;
}): ProofOutcome {
  const { look, trace } = options;
  if (look.alive > 0) {
    // All there and none stopped: the host, or the container's own work, may have left them no CPU time while we looked.
    return look.complete && look.astray.length === 0 && !look.stopped ? 'inconclusive' : 'not_observed';
  }
  if (trace === null || trace.boot_id !== options.bootId) return 'not_observed';
  return ranFullTime(trace, options.timeoutMs) ? 'expired' : 'not_observed';
}

/** The workers' CPU time since they were started, as a share of the allowance, once there is enough of it to tell. */
async function burntSince(record: UndoRecord, folder: string, look: Look): Promise<JsonObject> {
  const started = (await readTrace(folder))?.started_ms ?? null;
  const overMs = started === null ? 0 : (await readUptimeMs()) - started;
  if (overMs < 500) return {};
  const { allowance } = record.fingerprint as { readonly allowance?: { readonly cpus: number } };
  const share = (look.cpuNs / 1e6 / overMs / (allowance?.cpus ?? 1)) * 100;
  return { over_ms: overMs, burnt_percent: Math.round(share * 10) / 10 };
}

function readingOf(look: Look): JsonObject {
  return {
    workers: look.workers.map(({ pid }) => pid),
    workers_wanted: look.wanted,
    astray: look.astray,
    stopped: look.stopped,
    cpu_ms: toMs(look.cpuNs),
  };
}

function toMs(ns: number): number {
  return Math.round(ns / 1e4) / 100;
}
