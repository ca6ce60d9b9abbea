import { type AgentClient, connectAgents } from '../agent/agent-client.js';
import { MayhemError } from '../model/error.js';

/** The agents this worker reaches, by the id of their engine; looked for anew when one is asked for that is not known. */
export class Agents {
  readonly #home: string;
  readonly #byEngine = new Map<string, AgentClient>();

  constructor(options: { readonly home: string }) {
    this.#home = options.home;
  }

  get all(): readonly AgentClient[] {
    return [...this.#byEngine.values()];
  }

  /** Looks for agents under home; the ids of engines that were not known before. */
  async refresh(): Promise<readonly string[]> {
    const added: string[] = [];
    for (const client of await connectAgents({ home: this.#home, known: this.all.map((agent) => agent.path) })) {
      this.#byEngine.set(client.engineId, client);
      added.push(client.engineId);
    }
    return added;
  }

  async of(engineId: string): Promise<AgentClient> {
    if (!this.#byEngine.has(engineId)) await this.refresh();
    const client = this.#byEngine.get(engineId);
    if (!client) {
      throw new MayhemError('agent.unreachable', `no agent for engine ${engineId} answers`, {
        hint: 'see `mayhem status`; `mayhem up` starts it',
      });
    }
    return client;
  }

  close(): void {
    for (const client of this.#byEngine.values()) client.close();
  }
}
