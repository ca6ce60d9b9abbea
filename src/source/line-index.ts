import type { Place } from '../model/error.js';

/** Turns offsets into a text into lines and columns. Lines end with LF, CRLF or a lone CR; columns count UTF-16 units from 1. */
export class LineIndex {
  readonly #file: string;
  readonly #starts: readonly number[];

  constructor(source: { readonly file: string; readonly text: string }) {
    this.#file = source.file;
    const starts = [0];
    for (const match of source.text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length;
  }

  placeAt(offset: number): Place {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { file: this.#file, line: low + 1, column: offset - (this.#starts[low] as number) + 1 };
  }
}
