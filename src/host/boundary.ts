/**
 * A named point between two steps. In a product build it does nothing; a test sets a hook to stop, freeze or kill the process
 * there.
 */
export type Boundary =
  | 'agent.before-claim'
  | 'agent.after-claim'
  | 'agent.before-journal'
  | 'agent.after-journal'
  | 'agent.before-inject'
  | 'agent.after-inject'
  | 'agent.after-proof'
  | 'agent.before-act'
  | 'agent.after-act'
  | 'agent.before-undo'
  | 'agent.before-tombstone'
  | 'agent.after-tombstone'
  | 'agent.after-release'
  | 'worker.before-arm'
  | 'worker.before-inject'
  | 'worker.after-inject'
  | 'worker.before-undo'
  | 'worker.after-undo';

let hook: ((name: Boundary) => Promise<void>) | null = null;

export function setBoundaryHook(next: typeof hook): void {
  hook = next;
}

export async function boundary(name: Boundary): Promise<void> {
  if (hook !== null) await hook(name);
}
