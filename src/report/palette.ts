/** Colours for people; each function returns its text unchanged where there are none. */
export interface Palette {
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

const plain = (text: string): string => text;

export const NO_COLOURS: Palette = { red: plain, green: plain, yellow: plain, bold: plain, dim: plain };
