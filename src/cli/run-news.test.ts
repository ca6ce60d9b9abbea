import { describe, expect, it } from 'vitest';
import type { RunRow } from '../evidence/run-row.js';
import type { RunEvent } from '../model/event.js';
import { type NewsSource, readNews } from './run-news.js';

/** A run that is being written: `onLook` runs before each answer, as another process would write between two looks. */
class WrittenRun implements NewsSource {
  readonly history: RunEvent[] = [];
  endedAt: string | null = null;
  looks = 0;
  readonly #onLook: (look: number, run: WrittenRun) => void;
  readonly #page: number;

  constructor(options: { readonly onLook?: (look: number, run: WrittenRun) => void; readonly page?: number } = {}) {
    this.#onLook = options.onLook ?? (() => undefined);
    this.#page = options.page ?? 1000;
  }

  write(...kinds: readonly RunEvent['kind'][]): void {
    for (const kind of kinds) {
      this.history.push({ kind, seq: this.history.length + 1 } as RunEvent);
      if (kind === 'run.completed') this.endedAt = '2026-03-01T10:00:00.000Z';
    }
  }
  async events(afterSeq: number): Promise<readonly RunEvent[]> {
    this.#onLook(++this.looks, this);
    return this.history.filter((event) => event.seq > afterSeq).slice(0, this.#page);
  }
  async row(): Promise<RunRow> {
    this.#onLook(++this.looks, this);
    return { ended_at: this.endedAt } as RunRow;
  }
}

const kinds = (news: { readonly events: readonly RunEvent[] }) => news.events.map((event) => event.kind);

describe('the news of a run', () => {
  it('holds the events written between the look at the events and the look at the row', async () => {
    const source = new WrittenRun({
      onLook: (look, run) => {
        if (look === 2) run.write('fault.recovered', 'step.finished', 'criteria.evaluated', 'run.completed');
      },
    });
    source.write('run.started', 'fault.injected');
    const news = await readNews({ source, afterSeq: 1, withRow: true });
    expect(kinds(news)).toEqual([
      'fault.injected',
      'fault.recovered',
      'step.finished',
      'criteria.evaluated',
      'run.completed',
    ]);
    expect(news.ended).toBe(true);
  });

  it('reads a long history page by page before it believes that the run has ended', async () => {
    const source = new WrittenRun({ page: 2 });
    source.write('run.started', 'fault.armed', 'fault.injected', 'fault.recovered', 'step.finished', 'run.completed');
    const news = await readNews({ source, afterSeq: 0, withRow: true });
    expect(kinds(news)).toEqual(source.history.map((event) => event.kind));
    expect(news.ended).toBe(true);
  });

  it('ends with the end, for whoever comes before and after a later recovery', async () => {
    const source = new WrittenRun();
    source.write('run.started', 'run.completed');
    const early = await readNews({ source, afterSeq: 0, withRow: false });
    source.write('fault.recovered', 'lease.state_changed');
    const late = await readNews({ source, afterSeq: 0, withRow: true });
    expect(kinds(late)).toEqual(kinds(early));
    expect([early.ended, late.ended, early.run?.ended_at]).toEqual([true, true, source.endedAt]);
  });

  it('does not look at the row unless it is asked to, and goes on while the run does', async () => {
    const source = new WrittenRun();
    source.write('run.started');
    expect(await readNews({ source, afterSeq: 1, withRow: false })).toEqual({ events: [], run: null, ended: false });
    expect((await readNews({ source, afterSeq: 1, withRow: true })).run?.ended_at).toBeNull();
    expect(source.looks).toBe(3);
  });

  it('does not wait for the end of a run whose history has none', async () => {
    const source = new WrittenRun();
    source.write('run.created');
    source.endedAt = '2026-03-01T10:00:00.000Z';
    const news = await readNews({ source, afterSeq: 0, withRow: true });
    expect([kinds(news), news.ended]).toEqual([['run.created'], true]);
  });
});
