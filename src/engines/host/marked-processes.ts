import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Processes read between two turns of the event loop, so that a host with many does not hold up the agent. */
const BATCH = 200;
const RESCAN_MS = 5;
const LOOK_AGAIN_MS = 1;
const LOOKS_AGAIN = 20;
/** Bit of a process's flags, field 9 of proc_pid_stat(5): it is a thread of the kernel's own (include/linux/sched.h). */
const PF_KTHREAD = 0x00200000;

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
  let unsure: number[] = [];
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % BATCH === 0) await nextTurn();
    const process = look(pid, options.mark);
    if (process === 'unsure') unsure.push(pid);
    else if (process !== null) found.push(process);
  }
  for (let again = 0; again < LOOKS_AGAIN && unsure.length > 0; again += 1) {
    await delay(LOOK_AGAIN_MS);
    const looks = unsure.map((pid) => ({ pid, process: look(pid, options.mark) }));
    found.push(...looks.flatMap(({ process }) => (process === null || process === 'unsure' ? [] : [process])));
    unsure = looks.flatMap(({ pid, process }) => (process === 'unsure' ? [pid] : []));
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
    for (const { pid } of found) {
      const still = look(pid, options.mark);
      if (still !== null && still !== 'unsure') kill(pid);
    }
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

/**
 * The process when it carries the mark. `unsure`: between two programs (execve(2)) a process has no environment for a moment. It is at work
 * then, and not asleep.
 */
function look(pid: number, mark: ProcessMark): MarkedProcess | 'unsure' | null {
  const environment = readOrNull(`/proc/${pid}/environ`);
  if (environment === null || (environment !== '' && !hasMark(environment, mark))) return null;
  const fields = statFields(pid);
  const [state, ppid] = fields ?? [];
  if (state === undefined || state === 'Z' || state === 'X') return null;
  if (environment !== '') return { pid, ppid: Number(ppid), state };
  const isKernelThread = (Number(fields?.[6]) & PF_KTHREAD) !== 0;
  return !isKernelThread && (state === 'R' || state === 'D') ? 'unsure' : null;
}

function hasMark(environment: string, { name, value }: ProcessMark): boolean {
  return environment.split('\0').includes(`${name}=${value}`);
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
