import { postgresAnswers, temporalAnswers } from './answers.js';
import { beatFileOf, lastBeatMs, STALE_AFTER_MS } from './beat.js';
import { COMPONENTS, type ComponentName } from './component.js';
import type { Home } from './home.js';
import { livingNotes, type Problem } from './notes.js';
import { livingProcess } from './pid-file.js';
import { readStackFile, type StackFile } from './stack-file.js';
import { lockHolder } from './supervisor-lock.js';

/** One line of `status`; members are named as its JSON shows them. */
export interface ComponentStatus {
  readonly name: ComponentName | 'supervisor';
  /** `configured`: not ours to start. `silent`: it lives but does not answer. `stale`: its beat has stopped. */
  readonly state: 'running' | 'starting' | 'stale' | 'silent' | 'waiting' | 'stopped' | 'configured';
  readonly pid: number | null;
  readonly started_at: string | null;
  readonly version: string | null;
  readonly address: string | null;
  readonly beat_age_ms: number | null;
  readonly restarts: number | null;
  readonly problem: Problem | null;
}

const UNKNOWN = {
  pid: null,
  started_at: null,
  version: null,
  address: null,
  beat_age_ms: null,
  restarts: null,
  problem: null,
} as const;

/** The state of each part, read from pid files, beats and the parts themselves; works in every partial state. */
export async function stackStatus(options: { readonly home: Home }): Promise<ComponentStatus[]> {
  const { home } = options;
  const stack = readStackFile(home);
  const components = await Promise.all(COMPONENTS.map((name) => componentStatus({ home, stack, name })));
  return [supervisorStatus(home), ...components];
}

function supervisorStatus(home: Home): ComponentStatus {
  const holder = lockHolder(home);
  if (holder === null) return { name: 'supervisor', state: 'stopped', ...UNKNOWN };
  const notes = livingNotes(home);
  return {
    name: 'supervisor',
    state: notes === null ? 'starting' : 'running',
    ...UNKNOWN,
    pid: holder.pid,
    started_at: notes?.started_at ?? null,
    version: notes?.version ?? null,
  };
}

async function componentStatus(options: {
  readonly home: Home;
  readonly stack: StackFile | null;
  readonly name: ComponentName;
}): Promise<ComponentStatus> {
  const { home, name, stack } = options;
  const elsewhere = configuredAddress(stack, name);
  if (elsewhere !== null) return { name, state: 'configured', ...UNKNOWN, address: elsewhere };
  const note = livingNotes(home)?.components[name];
  const file = livingProcess(home, name);
  const base = { name, state: 'stopped', ...UNKNOWN, restarts: note?.restarts ?? null } as const;
  if (file === null) {
    const state = note === undefined ? 'stopped' : note.state === 'waiting' ? 'waiting' : 'starting';
    return { ...base, state, problem: note?.problem ?? null };
  }
  const beat = name === 'agent' || name === 'worker' ? lastBeatMs(beatFileOf(home, name)) : null;
  const beatAgeMs = beat === null ? null : Math.max(0, Math.round(Date.now() - beat));
  const living = {
    ...base,
    pid: file.pid,
    started_at: file.started_at,
    version: file.version,
    address: file.address,
    beat_age_ms: beatAgeMs,
  };
  if (note?.state === 'starting') return { ...living, state: 'starting' };
  if (note?.state === 'waiting') return { ...living, state: 'waiting', problem: note.problem };
  if (beatAgeMs !== null && beatAgeMs > STALE_AFTER_MS) return { ...living, state: 'stale' };
  if (name === 'agent' || name === 'worker') return { ...living, state: beat === null ? 'starting' : 'running' };
  return { ...living, state: (await answers(name, stack)) ? 'running' : 'silent' };
}

async function answers(name: 'postgres' | 'temporal', stack: StackFile | null): Promise<boolean> {
  if (stack === null) return false;
  const at = { host: '127.0.0.1', port: stack[name].port, withinMs: 1000 };
  return name === 'postgres' ? postgresAnswers(at) : temporalAnswers(at);
}

function configuredAddress(stack: StackFile | null, name: ComponentName): string | null {
  if (stack === null) return null;
  if (name === 'temporal') return stack.configured.temporal_address;
  if (name !== 'postgres' || stack.configured.database_url === null) return null;
  const url = new URL(stack.configured.database_url);
  return `${url.hostname}:${url.port === '' ? '5432' : url.port}`;
}
