import { chmod, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { MayhemError } from '../model/error.js';
import type { Agent } from './agent.js';
import {
  type AgentAnswer,
  type AgentFacts,
  type AgentMethod,
  type AgentMethods,
  type AgentRequest,
  PROTOCOL_VERSION,
} from './protocol.js';

type Handlers = {
  readonly [M in AgentMethod]: (params: AgentMethods[M]['params']) => Promise<AgentMethods[M]['result']>;
};

/** The agent's ear: a local socket that only its owner may open; requests of one connection are answered as they finish. */
export class AgentServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on `path` (0600), taking the place of a socket file that a dead agent left. The caller holds the agent's lock. */
  static async listen(options: {
    readonly path: string;
    readonly agent: Agent;
    readonly facts: () => Promise<AgentFacts>;
  }): Promise<AgentServer> {
    const handlers = handlersOf(options.agent, options.facts);
    const server = createServer();
    const self = new AgentServer(server);
    server.on('connection', (socket) => {
      self.#sockets.add(socket);
      socket.on('close', () => self.#sockets.delete(socket));
      // A caller that goes away in mid-request is no error here: what it asked for is done or refused all the same.
      socket.on('error', () => socket.destroy());
      createInterface({ input: socket }).on(
        'line',
        (line) => void answer(handlers, line).then((text) => send(socket, text)),
      );
    });
    await rm(options.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.path, resolve);
    });
    await chmod(options.path, 0o600);
    return self;
  }

  /** Stops listening and hangs up; the socket file goes with it. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

function send(socket: Socket, text: string): void {
  if (socket.writable) socket.write(`${text}\n`);
}

async function answer(handlers: Handlers, line: string): Promise<string> {
  let id = 0;
  try {
    const request = JSON.parse(line) as AgentRequest;
    id = request.id;
    if (!Object.hasOwn(handlers, request.method)) {
      throw new MayhemError('agent.protocol', `the agent knows no request named ${JSON.stringify(request.method)}`, {
        hint: 'worker and agent are of different versions: restart both with `mayhem down` and `mayhem up`',
      });
    }
    const handler = handlers[request.method] as (params: unknown) => Promise<unknown>;
    const result = await handler(request.params);
    return JSON.stringify({ id, result: result ?? null } satisfies AgentAnswer);
  } catch (error) {
    return JSON.stringify({ id, error: errorOf(error) } satisfies AgentAnswer);
  }
}

function errorOf(error: unknown): Extract<AgentAnswer, { error: unknown }>['error'] {
  if (error instanceof MayhemError) {
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    return { code: error.code, message: error.message, details: error.details, ...hint };
  }
  return { code: 'internal.failed', message: error instanceof Error ? error.message : String(error) };
}

function handlersOf(agent: Agent, facts: () => Promise<AgentFacts>): Handlers {
  return {
    async hello({ protocol }) {
      if (protocol !== PROTOCOL_VERSION) {
        throw new MayhemError(
          'agent.protocol',
          `the agent speaks protocol ${PROTOCOL_VERSION}, the caller ${protocol}`,
          {
            hint: 'restart both with `mayhem down` and `mayhem up`',
          },
        );
      }
      return facts();
    },
    containers: (params) => agent.containers(params),
    assess: ({ specs }) => agent.assess(specs),
    prepare: ({ spec }) => agent.prepare(spec),
    arm: async ({ record }) => {
      await agent.arm(record);
      return null;
    },
    inject: ({ lease_id }) => agent.inject(lease_id),
    undo: ({ lease_id, released_by, record }) => agent.undo(lease_id, { releasedBy: released_by, record }),
    sweep_marks: async ({ released_by }) => {
      await agent.sweepMarks({ releasedBy: released_by });
      return null;
    },
    recheck: ({ lease_id }) => agent.recheck(lease_id),
    keep: async ({ lease_id }) => {
      await agent.keep(lease_id);
      return null;
    },
    open_leases: async () => agent.openLeases(),
    lease: async ({ lease_id }) => agent.lease(lease_id),
    unacknowledged: async () => agent.unacknowledged(),
    acknowledge: async ({ lease_ids }) => {
      await agent.acknowledge(lease_ids);
      return null;
    },
    undo_all: ({ released_by }) => agent.undoAll({ releasedBy: released_by }),
  };
}
