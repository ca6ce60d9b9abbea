import type { Database } from '../evidence/database.js';
import { eventsAfter } from '../evidence/event-store.js';
import type { RunRow } from '../evidence/run-row.js';
import { MayhemError } from '../model/error.js';
import type { RunEvent } from '../model/event.js';
import { eventLine } from '../report/event-line.js';
import { acceptsConnection } from '../stack/answers.js';
import { hostAndPort } from '../stack/configured-addresses.js';
import type { StackLocation } from '../stack/stack-file.js';
import { HoldClock } from './hold-clock.js';
import type { Interrupts } from './interrupts.js';
import type { Output } from './output.js';
import { requireRun } from './require-run.js';
import { type NewsSource, readNews } from './run-news.js';

const POLL_MS = 120;
/** The run's row is looked at this often even when no event says that it has ended. */
const ROW_EVERY_MS = 2000;
const TEMPORAL_EVERY_MS = 2000;
/** So long the follower goes on without a database, without Temporal, or before any worker takes the run. */
const PATIENCE_MS = 60_000;

export interface FollowOptions {
  readonly db: Database;
  readonly location: StackLocation;
  readonly runId: string;
  readonly output: Output;
  readonly interrupts: Interrupts;
  /** Called once, at the first interrupt; must not throw. */
  readonly abort: () => void;
}

export type Followed = { readonly kind: 'ended'; readonly run: RunRow } | { readonly kind: 'left' };

/**
 * Follows a run by its events in Postgres until it has ended, printing each. The first interrupt aborts it and the following
 * goes on; the second leaves it to its worker. Restarts of Postgres and Temporal are waited out. Throws run.missing;
 * database.unreachable, temporal.unreachable or stack.failed after a minute without any progress.
 */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const { db, interrupts, output, runId } = options;
  const hold = new HoldClock();
  const temporal = new TemporalWatch(options);
  const source: NewsSource = {
    events: (afterSeq) => eventsAfter(db, { runId, seq: afterSeq }),
    row: () => requireRun(db, runId),
  };
  let seq = 0;
  let aborted = false;
  let contactMs = performance.now();
  let rowMs = Number.NEGATIVE_INFINITY;
  let started = false;
  let away = false;
  const beganMs = performance.now();
  for (;;) {
    if (interrupts.count >= 2) return { kind: 'left' };
    if (interrupts.count === 1 && !aborted) {
      aborted = true;
      output.progress('aborting: waiting for the undo (interrupt again to leave it to the worker)');
      options.abort();
    }
    try {
      const withRow = performance.now() - rowMs > ROW_EVERY_MS;
      const { ended, events, run } = await readNews({ source, afterSeq: seq, withRow });
      for (const event of events) {
        seq = event.seq;
        hold.see(event);
        started ||= event.kind === 'run.started';
        showEvent(event, output);
      }
      if (run !== null) {
        if (ended) return { kind: 'ended', run };
        started ||= run.started_at !== null;
        rowMs = performance.now();
      }
      if (away) output.progress('the database answers again');
      away = false;
      contactMs = performance.now();
      if (events.length > 0) temporal.progressed();
    } catch (error) {
      if (!(error instanceof MayhemError) || error.code !== 'database.unreachable') throw error;
      if (performance.now() - contactMs > PATIENCE_MS) throw error;
      if (!away) output.progress('the database does not answer; the run goes on, waiting for it');
      away = true;
    }
    await temporal.look();
    if (!started && !away && performance.now() - beganMs > PATIENCE_MS) throw noWorker(runId);
    const remaining = hold.remaining(Date.now());
    output.transient(remaining === null ? '' : `  ${remaining}`);
    await interrupts.sleep(POLL_MS);
  }
}

/** Notices when Temporal is away, and gives up when it stays away and nothing happens. */
class TemporalWatch {
  readonly #options: FollowOptions;
  #nextMs = performance.now() + TEMPORAL_EVERY_MS;
  #quietSinceMs: number | null = null;

  constructor(options: FollowOptions) {
    this.#options = options;
  }

  progressed(): void {
    if (this.#quietSinceMs !== null) this.#quietSinceMs = performance.now();
  }

  async look(): Promise<void> {
    if (performance.now() < this.#nextMs) return;
    const { location, output } = this.#options;
    const { address } = location.temporal;
    const answers = await acceptsConnection({ to: hostAndPort(address, 7233), withinMs: 1000 });
    this.#nextMs = performance.now() + TEMPORAL_EVERY_MS;
    if (answers) {
      if (this.#quietSinceMs !== null) output.progress('Temporal answers again');
      this.#quietSinceMs = null;
      return;
    }
    if (this.#quietSinceMs === null) {
      output.progress('Temporal does not answer; the agent keeps the deadlines, waiting for it');
      this.#quietSinceMs = performance.now();
    }
    if (performance.now() - this.#quietSinceMs > PATIENCE_MS) {
      throw new MayhemError('temporal.unreachable', `Temporal at ${address} has not answered for a minute`, {
        hint: `Start it (\`mayhem up\`), then follow on with \`mayhem attach ${this.#options.runId}\`.`,
        details: { address, run_id: this.#options.runId },
      });
    }
  }
}

function showEvent(event: RunEvent, output: Output): void {
  const line = eventLine({ event, everyEvent: output.debug, palette: output.palette });
  if (line !== null) output.line(line);
}

function noWorker(runId: string): MayhemError {
  return new MayhemError('stack.failed', `no worker has taken run ${runId} within a minute`, {
    hint: `See \`mayhem status\`. A worker that comes now does not start it any more: run the drill again when one is there.`,
    details: { run_id: runId },
  });
}
