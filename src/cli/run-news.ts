import type { RunRow } from '../evidence/run-row.js';
import type { RunEvent } from '../model/event.js';

const ENDS: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.aborted']);

/** Where news of one run comes from. */
export interface NewsSource {
  /** Events after this one, oldest first, perhaps not all of them; none when there is no later one. */
  events(afterSeq: number): Promise<readonly RunEvent[]>;
  /** Throws run.missing. */
  row(): Promise<RunRow>;
}

export interface RunNews {
  readonly events: readonly RunEvent[];
  /** The run's row where it was looked at. */
  readonly run: RunRow | null;
  /** Everything up to the end has been read: there is no more news. */
  readonly ended: boolean;
}

/**
 * What is new about a run since an event. Events are read up to the run's end and never beyond it, so that every viewer sees the same
 * end; and a row that says the run has ended is believed only after the events have been read once more, since the last of them may
 * have been written between two looks. `withRow` looks at the row even when no event tells of an end.
 */
export async function readNews(options: {
  readonly source: NewsSource;
  readonly afterSeq: number;
  readonly withRow: boolean;
}): Promise<RunNews> {
  const { source } = options;
  const first = await upToEnd(source, options.afterSeq);
  if (first.ended) return { events: first.events, run: await source.row(), ended: true };
  if (!options.withRow) return { events: first.events, run: null, ended: false };
  const run = await source.row();
  if (run.ended_at === null) return { events: first.events, run, ended: false };
  const events = [...first.events];
  for (;;) {
    const more = await upToEnd(source, events.at(-1)?.seq ?? options.afterSeq);
    events.push(...more.events);
    // A run whose history has no end (it was never taken up) has nothing more to tell than what is there.
    if (more.ended || more.events.length === 0) return { events, run, ended: true };
  }
}

async function upToEnd(
  source: NewsSource,
  afterSeq: number,
): Promise<{ readonly events: readonly RunEvent[]; readonly ended: boolean }> {
  const events = await source.events(afterSeq);
  const end = events.findIndex((event) => ENDS.has(event.kind));
  return end === -1 ? { events, ended: false } : { events: events.slice(0, end + 1), ended: true };
}
