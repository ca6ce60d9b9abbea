/** Colours for people; each function returns its text unchanged where there are none. */
export interface Palette {
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

const style = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;

/** Select Graphic Rendition sequences of ECMA-48. */
const COLOURS: Palette = {
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  bold: style(1, 22),
  dim: style(2, 22),
};

const plain = (text: string) => text;
const NONE: Palette = { red: plain, green: plain, yellow: plain, bold: plain, dim: plain };

/** Colours on a terminal unless `--no-color`, NO_COLOR (no-color.org) or TERM=dumb say otherwise. */
export function choosePalette(options: {
  readonly wanted: boolean;
  readonly isTerminal: boolean;
  readonly env: NodeJS.ProcessEnv;
}): Palette {
  const { env } = options;
  const refused = !options.wanted || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return options.isTerminal && !refused ? COLOURS : NONE;
}
