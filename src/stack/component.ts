import type { Problem } from './notes.js';

/** What `up` supervises, in the order in which they are shown. */
export const COMPONENTS = ['postgres', 'temporal', 'agent', 'worker'] as const;
export type ComponentName = (typeof COMPONENTS)[number];

/** How to start a process: an argument array, never a line for a shell. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly uid?: number;
  readonly gid?: number;
}

/** One part of the stack as its keeper sees it. */
export interface Component {
  readonly name: ComponentName;
  readonly address: string | null;
  /** What it waits for by itself before it becomes ready: its start takes no less long. */
  readonly needs: readonly ComponentName[];
  /** Touched each second by a process that is well; null for programs that are not ours. */
  readonly beatFile: string | null;
  /** Runs before each start, e.g. to make a database cluster. */
  readonly prepare: () => Promise<void>;
  readonly launch: () => Promise<Launch>;
  readonly version: () => Promise<string | null>;
  /** Whether it does its work now. */
  readonly answers: (startedAtMs: number) => Promise<boolean>;
  /** Runs once it answers, before it counts as running. */
  readonly afterReady: () => Promise<void>;
  /** Why it cannot do its work for a reason outside the stack; null when there is none. Asked while it does not answer. */
  readonly obstacle: () => Promise<Problem | null>;
}
