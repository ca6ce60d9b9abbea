import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasController, readCgroups, readKernelText } from '../../engines/host/cgroups.js';
import { findMarked, type MarkedProcess, readCpuNs } from '../../engines/host/marked-processes.js';
import { readBootId, readUptimeMs } from '../../engines/host/boot.js';
import type { JsonObject } from '../../model/json.js';
import type { ProofOutcome, UndoRecord } from '../../model/lease.js';
import type { Reading } from '../mechanism.js';
import { readTrace } from './launch.js';
import { markOf, recipeOf, type StressFingerprint } from './recipe.js';
import { ranFullTime, type StressorTrace } from './trace.js';

/** A stressor that starts has this long to be at work; so has one whose host is busy. */
const PATIENCE_MS = 1_500;
/** CPU time that the start of a stressor takes: under a small quota it lasts the longer. */
const START_CPU_MS = 40;
/** A stressor that got no CPU time for so long may be frozen. */
const STILL_MS = 100;
const LOOK_EVERY_MS = 4;
/** CPU time that must be seen to pass in the workers, all told. */
const MOVED_NS = 500_000;
/** Before this the mean of what was burnt says nothing. */
const MEAN_FROM_MS = 500;

/**
 * Looks at the stressor from outside: all its workers alive and in every control group of the target that they joined, and CPU time passing
 * in them. Waits for that only while it may still come, and returns as soon as it is seen.
 */
export async function readStressor(options: {
  readonly record: UndoRecord;
  readonly folder: string;
  readonly signal: AbortSignal;
}): Promise<Reading<ProofOutcome>> {
  const { record, folder, signal } = options;
  const deadline = performance.now() + PATIENCE_MS + START_CPU_MS / allowanceOf(record);
  const wait = () => delay(LOOK_EVERY_MS, undefined, { signal });

  let look = await lookAt(record);
  let trace = await readTrace(folder);
  while (!look.complete && performance.now() < deadline && (await mayComplete({ record, look, trace }))) {
    await wait();
    look = await lookAt(record);
    trace = await readTrace(folder);
  }
  if (!look.complete) {
    return { outcome: await outcomeOfMissing({ record, look, trace }), read: readingOf({ record, look, trace }) };
  }

  const first = look.cpuNs;
  const stillMs = performance.now() + STILL_MS;
  let frozen = false;
  while (look.cpuNs - first < MOVED_NS && performance.now() < deadline && !frozen) {
    await wait();
    look = { ...look, cpuNs: cpuOf(look.workers) };
    frozen = performance.now() > stillMs && (await isFrozen(record));
  }
  // Read once more, now that time has passed: a worker may have died meanwhile, and its pid be another's.
  look = await lookAt(record);
  const movedNs = look.cpuNs - first;
  const astray = await strayFrom(record, look.workers);
  const read = {
    ...readingOf({ record, look, trace }),
    moved_ms: toMs(movedNs),
    astray,
    frozen,
    ...(await meanOf({ record, look, trace })),
  };
  if (!look.complete || look.stopped || frozen || astray.length > 0) return { outcome: 'not_observed', read };
  // All there and none stopped: the host, or the container's own work, may have left them no CPU time while we looked.
  return { outcome: movedNs >= MOVED_NS ? 'confirmed' : 'inconclusive', read };
}

interface Look {
  /** Marked processes in the target's CPU group. */
  readonly alive: readonly number[];
  /** Those of them that work: the stressor's own process only waits for the ones it forked. */
  readonly workers: readonly MarkedProcess[];
  readonly complete: boolean;
  readonly stopped: boolean;
  readonly cpuNs: number;
}

interface Found {
  readonly record: UndoRecord;
  readonly look: Look;
  readonly trace: StressorTrace | null;
}

async function lookAt(record: UndoRecord): Promise<Look> {
  const recipe = recipeOf(record);
  const cpu = recipe.groups.find((group) => hasController(group, 'cpu'));
  const listed = cpu === undefined ? null : await readKernelText(join(cpu.folder, 'cgroup.procs'));
  const pids = (listed ?? '').split('\n').flatMap((line) => (line === '' ? [] : [Number(line)]));
  const marked = await findMarked({ mark: markOf(record.lease), pids });
  const alive = marked.map((process) => process.pid);
  const workers = marked.filter((process) => alive.includes(process.ppid));
  return {
    alive,
    workers,
    complete: workers.length >= recipe.workers,
    stopped: marked.some(({ state }) => state === 'T' || state === 't'),
    cpuNs: cpuOf(workers),
  };
}

function cpuOf(workers: readonly MarkedProcess[]): number {
  return workers.reduce((sum, { pid }) => sum + (readCpuNs(pid) ?? 0), 0);
}

/** Whether a stressor that is not at work may be starting: not when its launcher says that it is over, nor when it is not there any more. */
async function mayComplete({ record, look, trace }: Found): Promise<boolean> {
  if (trace === null || look.stopped) return false;
  if (trace.refused !== null || trace.ended_ms !== null) return false;
  return look.alive.length > 0 || trace.pid === null || (await isAlive(record, trace.pid));
}

async function isAlive(record: UndoRecord, pid: number): Promise<boolean> {
  return (await findMarked({ mark: markOf(record.lease), pids: [pid] })).length > 0;
}

async function outcomeOfMissing({ record, look, trace }: Found): Promise<ProofOutcome> {
  if (look.alive.length > 0 || trace === null || trace.boot_id !== (await readBootId())) return 'not_observed';
  if (ranFullTime(trace, recipeOf(record).timeout_s * 1000)) return 'expired';
  // Its time is over and nobody saw how it ended, because its launcher was killed before it.
  const due = trace.started_ms === null ? null : trace.started_ms + recipeOf(record).timeout_s * 1000;
  const unseen = trace.ended_ms === null && due !== null && (await readUptimeMs()) >= due;
  return unseen ? 'inconclusive' : 'not_observed';
}

/** In version 2 a target that is paused holds the stressor too (cgroup-v2, cgroup.events). */
async function isFrozen(record: UndoRecord): Promise<boolean> {
  const group = recipeOf(record).groups.find(({ controllers }) => controllers === '');
  const events = group === undefined ? null : await readKernelText(join(group.folder, 'cgroup.events'));
  return /^frozen 1$/m.test(events ?? '');
}

/** Workers that are not in all the groups they should be in. */
async function strayFrom(record: UndoRecord, workers: readonly MarkedProcess[]): Promise<readonly number[]> {
  const { groups } = recipeOf(record);
  const astray: number[] = [];
  for (const { pid } of workers) {
    const joined = new Set((await readCgroups(pid))?.map((group) => group.folder));
    if (!groups.every((group) => joined.has(group.folder))) astray.push(pid);
  }
  return astray;
}

/** The workers' CPU time since they were started, as a share of the allowance. For the record: what is left of it may be the target's own use. */
async function meanOf({ record, look, trace }: Found): Promise<JsonObject> {
  const started = trace?.started_ms ?? null;
  const overMs = started === null ? 0 : (await readUptimeMs()) - started;
  if (overMs < MEAN_FROM_MS) return {};
  const percent = (look.cpuNs / 1e6 / overMs / allowanceOf(record)) * 100;
  return { over_ms: overMs, burnt_percent: Math.round(percent * 10) / 10 };
}

function allowanceOf(record: UndoRecord): number {
  return (record.fingerprint as unknown as StressFingerprint).allowance.cpus;
}

function readingOf({ record, look, trace }: Found): JsonObject {
  return {
    workers: look.workers.map(({ pid }) => pid),
    workers_wanted: recipeOf(record).workers,
    stopped: look.stopped,
    cpu_ms: toMs(look.cpuNs),
    ...(look.complete ? {} : { trace: trace as JsonObject | null }),
  };
}

function toMs(ns: number): number {
  return Math.round(ns / 1e4) / 100;
}
