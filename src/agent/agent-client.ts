import { readdir } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ContainerState } from '../engines/engine.js';
import { isErrorCode, MayhemError } from '../model/error.js';
import type { InjectReport, LeaseSpec, ReleasedBy, UndoRecord, UndoReport } from '../model/lease.js';
import type { UndoOptions } from './agent.js';
import type { AssessedProblem } from './assess-leases.js';
import type { JournaledLease } from './journal-entry.js';
import {
  type AgentAnswer,
  type AgentFacts,
  type AgentMethod,
  type AgentMethods,
  PROTOCOL_VERSION,
} from './protocol.js';

const CONNECT_TIMEOUT_MS = 2_000;
/** Longer than anything the agent does for one request: its own engine calls have deadlines. */
const ANSWER_TIMEOUT_MS = 40_000;

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One connection to an agent. When it breaks, what was asked fails with `agent.unreachable` and the next request connects anew:
 * every request may be asked again.
 */
export class AgentClient {
  readonly #path: string;
  #connection: Promise<Socket> | null = null;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #facts: AgentFacts | null = null;

  constructor(options: { readonly path: string }) {
    this.#path = options.path;
  }

  get path(): string {
    return this.#path;
  }

  /** The id of the agent's engine, once hello() has answered. */
  get engineId(): string {
    if (this.#facts === null)
      throw new MayhemError('agent.unreachable', `the agent at ${this.#path} has not answered yet`);
    return this.#facts.engine_id;
  }

  async hello(): Promise<AgentFacts> {
    this.#facts = await this.#ask('hello', { protocol: PROTOCOL_VERSION });
    return this.#facts;
  }

  containers(options: { readonly labels?: readonly string[] } = {}): Promise<readonly ContainerState[]> {
    return this.#ask('containers', options);
  }
  assess(specs: readonly LeaseSpec[]): Promise<readonly (AssessedProblem | null)[]> {
    return this.#ask('assess', { specs });
  }
  prepare(spec: LeaseSpec): Promise<UndoRecord> {
    return this.#ask('prepare', { spec });
  }
  async arm(record: UndoRecord): Promise<void> {
    await this.#ask('arm', { record });
  }
  inject(leaseId: string): Promise<InjectReport> {
    return this.#ask('inject', { lease_id: leaseId });
  }
  undo(leaseId: string, options: UndoOptions): Promise<UndoReport> {
    return this.#ask('undo', { lease_id: leaseId, released_by: options.releasedBy, record: options.record });
  }
  async sweepMarks(options: { readonly releasedBy: ReleasedBy }): Promise<void> {
    await this.#ask('sweep_marks', { released_by: options.releasedBy });
  }
  recheck(leaseId: string): Promise<UndoReport> {
    return this.#ask('recheck', { lease_id: leaseId });
  }
  async keep(leaseId: string): Promise<void> {
    await this.#ask('keep', { lease_id: leaseId });
  }
  openLeases(): Promise<readonly JournaledLease[]> {
    return this.#ask('open_leases', {});
  }
  lease(leaseId: string): Promise<JournaledLease | null> {
    return this.#ask('lease', { lease_id: leaseId });
  }
  unacknowledged(): Promise<readonly UndoReport[]> {
    return this.#ask('unacknowledged', {});
  }
  async acknowledge(leaseIds: readonly string[]): Promise<void> {
    await this.#ask('acknowledge', { lease_ids: leaseIds });
  }
  undoAll(options: { readonly releasedBy: ReleasedBy }): Promise<readonly UndoReport[]> {
    return this.#ask('undo_all', { released_by: options.releasedBy });
  }

  close(): void {
    void this.#connection?.then((socket) => socket.destroy()).catch(() => undefined);
    this.#connection = null;
  }

  async #ask<M extends AgentMethod>(method: M, params: AgentMethods[M]['params']): Promise<AgentMethods[M]['result']> {
    const socket = await this.#connected();
    const id = this.#nextId++;
    const answered = new Promise<unknown>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    const timer = setTimeout(() => {
      this.#fail(id, `no answer to ${method} within ${ANSWER_TIMEOUT_MS / 1000} s`);
    }, ANSWER_TIMEOUT_MS);
    try {
      socket.write(`${JSON.stringify({ id, method, params })}\n`);
      return (await answered) as AgentMethods[M]['result'];
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  #connected(): Promise<Socket> {
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = null;
      throw error;
    });
    return this.#connection;
  }

  #connect(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = createConnection(this.#path);
      const timer = setTimeout(() => socket.destroy(new Error('no answer')), CONNECT_TIMEOUT_MS);
      socket.once('connect', () => {
        clearTimeout(timer);
        createInterface({ input: socket }).on('line', (line) => this.#receive(line));
        resolve(socket);
      });
      socket.once('error', (error) => {
        clearTimeout(timer);
        reject(unreachable(this.#path, error.message, error));
      });
      socket.once('close', () => {
        this.#connection = null;
        for (const id of this.#pending.keys()) this.#fail(id, 'it hung up');
      });
    });
  }

  #receive(line: string): void {
    const answer = JSON.parse(line) as AgentAnswer;
    const pending = this.#pending.get(answer.id);
    if (!pending) return;
    if ('result' in answer) {
      pending.resolve(answer.result);
      return;
    }
    const { code, message, hint, details } = answer.error;
    pending.reject(
      new MayhemError(isErrorCode(code) ? code : 'internal.failed', message, {
        ...(hint === undefined ? {} : { hint }),
        ...(details === undefined ? {} : { details }),
      }),
    );
  }

  #fail(id: number, reason: string): void {
    this.#pending.get(id)?.reject(unreachable(this.#path, reason));
  }
}

/** Connects to every agent that answers under `home`, but for those at the paths in `known`; those that do not answer are left out. */
export async function connectAgents(options: {
  readonly home: string;
  readonly known?: readonly string[];
}): Promise<AgentClient[]> {
  const names = await readdir(options.home).catch(() => []);
  const clients = names
    .filter((name) => /^agent-[0-9a-f-]+\.sock$/.test(name))
    .map((name) => join(options.home, name))
    .filter((path) => !options.known?.includes(path))
    .map((path) => new AgentClient({ path }));
  const answered = await Promise.all(
    clients.map(async (client) => {
      try {
        await client.hello();
        return [client];
      } catch {
        client.close();
        return [];
      }
    }),
  );
  return answered.flat();
}

function unreachable(path: string, reason: string, cause?: unknown): MayhemError {
  return new MayhemError('agent.unreachable', `the agent at ${path} does not answer (${reason})`, {
    hint: 'see `mayhem status`; `mayhem up` starts it again',
    ...(cause === undefined ? {} : { cause }),
  });
}
