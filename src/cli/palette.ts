import { NO_COLOURS, type Palette } from '../report/palette.js';

const style = (open: number, close: number) => (text: string) => `\u001b[${open}m${text}\u001b[${close}m`;

/** Select Graphic Rendition sequences of ECMA-48. */
const COLOURS: Palette = {
  red: style(31, 39),
  green: style(32, 39),
  yellow: style(33, 39),
  bold: style(1, 22),
  dim: style(2, 22),
};

/** Colours on a terminal unless `--no-color`, NO_COLOR (no-color.org) or TERM=dumb say otherwise. */
export function choosePalette(options: {
  readonly wanted: boolean;
  readonly isTerminal: boolean;
  readonly env: NodeJS.ProcessEnv;
}): Palette {
  const { env } = options;
  const refused = !options.wanted || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb';
  return options.isTerminal && !refused ? COLOURS : NO_COLOURS;
}
