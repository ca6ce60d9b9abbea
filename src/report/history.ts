import type { RunEvent } from '../model/event.js';
import { alignedTable } from './aligned-table.js';
import { eventText } from './event-text.js';

/** The events of a run as a table: number, time (UTC), kind, what happened. Events of samples only when asked for. */
export function historyTable(options: { readonly events: readonly RunEvent[]; readonly everyEvent?: boolean }): string {
  const shown = options.events.filter((event) => options.everyEvent === true || event.kind !== 'samples.recorded');
  return alignedTable({
    head: ['SEQ', 'TIME', 'EVENT', 'WHAT'],
    rows: shown.map((event) => [
      String(event.seq),
      event.at.replace('T', ' ').replace('Z', ''),
      event.kind,
      eventText(event).text,
    ]),
  });
}
