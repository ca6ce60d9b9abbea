import { type AgentClient, connectAgents } from '../agent/agent-client.js';
import { readEngineId } from '../engines/engine-identity.js';
import type { Engine } from '../engines/engine.js';
import { MayhemError } from '../model/error.js';
import type { Home } from '../stack/home.js';
import { waitUntil } from '../stack/wait-until.js';

const WITHIN_MS = 10_000;

/**
 * The id of the engine whose agent answers here, waiting a little for one that is just starting. Throws agent.unreachable
 * when no agent of this home has this engine.
 */
export async function engineOfAgent(options: { readonly home: Home; readonly engine: Engine }): Promise<string> {
  let found: string | null = null;
  await waitUntil({
    withinMs: WITHIN_MS,
    condition: async () => {
      const engineId = await readEngineId(options.engine);
      const agents = await connectAgents({ home: options.home.path });
      found = agents.some((agent) => agent.engineId === engineId) ? engineId : null;
      closeAll(agents);
      return found !== null;
    },
  });
  if (found !== null) return found;
  throw new MayhemError('agent.unreachable', 'no agent answers for this container engine', {
    hint: 'See `mayhem status`. One that was brought up for another DOCKER_HOST: `mayhem down`, then `mayhem up`.',
  });
}

export function closeAll(agents: readonly AgentClient[]): void {
  for (const agent of agents) agent.close();
}
