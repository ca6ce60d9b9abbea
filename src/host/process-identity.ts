import { readFileSync } from 'node:fs';

/**
 * A process that cannot be mistaken for a later one with the same number: its pid, the clock ticks since boot at which it
 * started (field 22 of /proc/<pid>/stat, proc(5)), and the boot these ticks count from.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_ticks: number;
  readonly boot_id: string;
}

let bootId: string | undefined;

function currentBootId(): string {
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return bootId;
}

/** The identity of the living process with this pid; null when there is none, or only its unreaped remains. */
export function identityOf(pid: number): ProcessIdentity | null {
  const stat = readStat(pid);
  if (stat === null) return null;
  return { pid, start_ticks: stat.startTicks, boot_id: currentBootId() };
}

export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== null && now.start_ticks === identity.start_ticks && now.boot_id === identity.boot_id;
}

/** Sends a signal to exactly this process; false when it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** True when this process leads a session of its own, as everything that the stack starts does. */
export function leadsSession(pid: number): boolean {
  return readStat(pid)?.session === pid;
}

function readStat(pid: number): { startTicks: number; session: number } | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  if (state === 'Z' || state === 'X') return null;
  return { startTicks: Number(fields[19]), session: Number(fields[3]) };
}
