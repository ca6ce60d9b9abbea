import { CancellationScope } from '@temporalio/workflow';
import type { DrillState, Halt } from '../model/run-control.js';
import { type DrillEvent, initialDrillState, reduceDrill } from './drill-reducer.js';

/** The state of a running drill and its one switch: once halted, nothing new starts and every hold ends. */
export class DrillRun {
  readonly runId: string;
  #state: DrillState;
  readonly #scopes = new Set<CancellationScope>();

  constructor(runId: string) {
    this.runId = runId;
    this.#state = initialDrillState(runId);
  }

  get state(): DrillState {
    return this.#state;
  }
  get halted(): boolean {
    return this.#state.halt !== null;
  }

  tell(event: DrillEvent): void {
    this.#state = reduceDrill(this.#state, event);
  }
  lease(event: Omit<Extract<DrillEvent, { kind: 'lease' }>, 'kind'>): void {
    this.tell({ kind: 'lease', ...event });
  }

  /** Halts the run; what was started under untilHalted is cancelled. Later halts change nothing. */
  halt(halt: Halt): void {
    if (this.halted) return;
    this.tell({ kind: 'halt', halt });
    for (const scope of this.#scopes) scope.cancel();
  }

  /** Runs work that a halt cancels; it is waited for all the same. */
  async untilHalted<T>(work: () => Promise<T>): Promise<T> {
    const scope = new CancellationScope({ cancellable: true });
    this.#scopes.add(scope);
    try {
      return await scope.run(async () => {
        if (this.halted) scope.cancel();
        return await work();
      });
    } finally {
      this.#scopes.delete(scope);
    }
  }
}
