import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Processes read between two turns of the event loop, so that a host with many does not hold up the agent. */
const BATCH = 200;
const RESCAN_MS = 5;

/** A living process that carries a mark in the environment it was started with. */
export interface MarkedProcess {
  readonly pid: number;
  readonly ppid: number;
  /** Its state as a letter of proc_pid_stat(5); zombies are no processes any more. */
  readonly state: string;
}

/** A mark: a variable of the environment, which children inherit. */
export interface ProcessMark {
  readonly name: string;
  readonly value: string;
}

/**
 * All living processes on this host that carry the mark, or those of `pids` that do. The mark is read from /proc/<pid>/environ: it stays as it
 * was at the program's start, and a pid that is used again has another. Throws when a process may not be read: it might carry the mark.
 */
export async function findMarked(options: {
  readonly mark: ProcessMark;
  readonly pids?: readonly number[];
}): Promise<readonly MarkedProcess[]> {
  const pids = options.pids ?? (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const found: MarkedProcess[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % BATCH === 0) await nextTurn();
    if (!carries(pid, options.mark)) continue;
    const stat = readProcess(pid);
    if (stat !== null) found.push(stat);
  }
  return found;
}

/**
 * Kills all processes that carry the mark, and looks again until none is left or the time is over; returns those that are left.
 * What a process started while it was being killed is found by the next look.
 */
export async function killMarked(options: {
  readonly mark: ProcessMark;
  readonly withinMs: number;
}): Promise<readonly MarkedProcess[]> {
  const deadline = performance.now() + options.withinMs;
  for (;;) {
    const found = await findMarked(options);
    if (found.length === 0) return [];
    for (const { pid } of found) if (carries(pid, options.mark)) kill(pid);
    if (performance.now() > deadline) return findMarked(options);
    await delay(RESCAN_MS);
  }
}

/** Nanoseconds a process has run on a CPU (proc_pid_schedstat; where the kernel lacks it, clock ticks of proc_pid_stat(5)); null: gone. */
export function readCpuNs(pid: number): number | null {
  const schedstat = readOrNull(`/proc/${pid}/schedstat`);
  if (schedstat !== null) return Number(schedstat.split(' ')[0]);
  const fields = statFields(pid);
  // USER_HZ is 100 on every architecture that Node runs on.
  return fields === null ? null : (Number(fields[11]) + Number(fields[12])) * 10_000_000;
}

function carries(pid: number, { name, value }: ProcessMark): boolean {
  return readOrNull(`/proc/${pid}/environ`)?.split('\0').includes(`${name}=${value}`) ?? false;
}

function readProcess(pid: number): MarkedProcess | null {
  const fields = statFields(pid);
  const [state, ppid] = fields ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return null;
  return { pid, ppid: Number(ppid), state };
}

/** The fields after the program's name, which stands in parentheses and may itself hold spaces and parentheses. */
function statFields(pid: number): readonly string[] | null {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/**
 * null: the process is gone, or has rights that root itself lacks here: what we start never has. Read at once, not in turns: the look at one
 * process must not be spread over time.
 */
function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    if (process.geteuid?.() === 0 && (code === 'EACCES' || code === 'EPERM')) return null;
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
