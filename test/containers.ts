import { randomBytes } from 'node:crypto';
import Docker from 'dockerode';

const IMAGE = 'debian:bookworm-slim';
const LABEL = 'mayhem.test';

/** The engine the tests work on, by a client of their own: what it says is not Mayhem's word. */
export const docker = new Docker();

/** Starts a throw-away container that sleeps; `remove` takes it away, paused or not. */
export async function startSleeper(options: { readonly name?: string; readonly labels?: Record<string, string> } = {}) {
  const name = options.name ?? `mayhem-test-${randomBytes(4).toString('hex')}`;
  const container = await docker.createContainer({
    Image: IMAGE,
    Cmd: ['sleep', '3600'],
    name,
    Labels: { [LABEL]: '1', ...options.labels },
    StopTimeout: 0,
  });
  await container.start();
  const info = await container.inspect();
  return {
    id: info.Id,
    name,
    startedAt: info.State.StartedAt,
    container,
    isPaused: async () => (await container.inspect()).State.Paused,
    remove: async () => {
      await container.remove({ force: true }).catch((error: { statusCode?: number }) => {
        if (error.statusCode !== 404) throw error;
      });
    },
  };
}
export type Sleeper = Awaited<ReturnType<typeof startSleeper>>;

/** Pause and unpause events of one container as the engine tells them, since `sinceMs`. */
export async function pauseEvents(options: {
  readonly id: string;
  readonly sinceMs: number;
}): Promise<readonly string[]> {
  const stream = await docker.getEvents({
    since: Math.floor(options.sinceMs / 1000),
    until: Math.ceil(Date.now() / 1000),
    filters: JSON.stringify({ container: [options.id], event: ['pause', 'unpause'] }),
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return (
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { Action: string; timeNano: number })
      // The engine's own filter knows whole seconds only.
      .filter((event) => event.timeNano / 1e6 >= options.sinceMs)
      .map((event) => event.Action)
  );
}

/** Waits until `condition` holds; throws after `withinMs` with what was waited for. */
export async function until(
  what: string,
  condition: () => Promise<boolean> | boolean,
  withinMs = 10_000,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
