import type { Place } from './error.js';

/** Something the user should know that stops nothing: a warning or a notice, shown on stderr and in the JSON envelope. */
export interface Notice {
  readonly level: 'warning' | 'notice';
  readonly message: string;
  readonly place?: Place;
}
