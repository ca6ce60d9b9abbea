/** What the launcher wrote down of a stressor; times are milliseconds since boot, suspend included. */
export interface StressorTrace {
  readonly boot_id: string | null;
  readonly pid: number | null;
  readonly started_ms: number | null;
  /** The control group that it could not join; it was not started then. */
  readonly refused: string | null;
  /** The container's main process ended, and the stressor with it. */
  readonly target_ended_ms: number | null;
  readonly ended_ms: number | null;
  readonly exit_code: number | null;
}

/** Reads the launcher's lines: a name, seconds since boot, a detail. Pure; a line that is cut short is left out. */
export function parseTrace(text: string): StressorTrace {
  const events = new Map<string, { readonly atMs: number; readonly detail: string }>();
  for (const line of text.split('\n').slice(0, -1)) {
    const [, name, seconds, detail] = /^(\w+) (\d+\.\d+) ?(.*)$/.exec(line) ?? [];
    if (name !== undefined) events.set(name, { atMs: Math.round(Number(seconds) * 1000), detail: detail ?? '' });
  }
  const at = (name: string) => events.get(name)?.atMs ?? null;
  const number = (name: string) => (events.has(name) ? Number(events.get(name)?.detail) : null);
  return {
    boot_id: events.get('boot')?.detail ?? null,
    pid: number('started'),
    started_ms: at('started'),
    refused: events.get('refused')?.detail ?? null,
    target_ended_ms: at('target_ended'),
    ended_ms: at('ended'),
    exit_code: number('ended'),
  };
}

/** True when the stressor ran until its own timeout ended it, and not less. The clock of the trace has steps of 10 ms. */
export function ranFullTime(trace: StressorTrace, timeoutMs: number): boolean {
  const { started_ms, ended_ms, target_ended_ms, exit_code } = trace;
  if (started_ms === null || ended_ms === null || target_ended_ms !== null || exit_code !== 0) return false;
  return ended_ms - started_ms >= timeoutMs - 20;
}
