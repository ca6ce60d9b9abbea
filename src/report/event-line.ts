import type { RunEvent } from '../model/event.js';
import { eventText } from './event-text.js';
import { NO_COLOURS } from './palette.js';
import type { Palette } from './palette.js';
import { printable } from './printable.js';

/**
 * One line for an event as somebody follows a run: `[ok] injected container.pause 10s into shop-api-1`. null when it is not worth
 * one, unless every event is asked for. No newline at the end.
 */
export function eventLine(options: {
  readonly event: Pick<RunEvent, 'kind' | 'payload'>;
  readonly everyEvent?: boolean;
  readonly palette?: Palette;
}): string | null {
  const palette = options.palette ?? NO_COLOURS;
  const { mark, text, told } = eventText(options.event);
  if (!told && options.everyEvent !== true) return null;
  const marks = { ok: palette.green('[ok]'), bad: palette.red('[!!]'), note: palette.dim('[--]') };
  return `${marks[mark]} ${printable(text)}`;
}
