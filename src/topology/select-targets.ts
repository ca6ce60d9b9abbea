import { sha256Hex } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import { type Selection, selectionText } from '../model/selection.js';

/** 13 hex digits are 52 bits: a double holds them exactly. */
const DRAW_DIGITS = 13;

/**
 * The candidates a selection is for, in their order, none twice. `draw` decides a random one: the same text, the same pick. Throws
 * `target.missing` when there are fewer than `count` asks for. Pure.
 */
export function selectTargets<T>(options: {
  readonly candidates: readonly T[];
  readonly selection: Selection;
  /** The run's seed and what is drawn for. */
  readonly draw: string;
  /** What the candidates are, for the message: `containers of web`. */
  readonly what: string;
}): readonly T[] {
  const { candidates, draw, selection, what } = options;
  const total = candidates.length;
  switch (selection.mode) {
    case 'all':
      return candidates;
    case 'one':
      return candidates.slice(0, 1);
    case 'count':
      if (selection.count <= total) return candidates.slice(0, selection.count);
      throw new MayhemError('target.missing', `selection ${selectionText(selection)}: there are ${total} ${what}`, {
        hint: 'ask for fewer, or start more replicas',
        details: { selection: { ...selection }, candidates: total },
      });
    case 'percentage':
      // A share that is a whole number stays one: 7 % of 100 is 7.000000000000001 to a computer.
      return candidates.slice(0, Math.min(total, Math.max(1, Math.ceil((total * selection.percentage) / 100 - 1e-9))));
    case 'random':
      return total === 0 ? [] : [candidates[indexOf(draw, total)] as T];
  }
}

function indexOf(draw: string, total: number): number {
  const share = Number.parseInt(sha256Hex(draw).slice(0, DRAW_DIGITS), 16) / 16 ** DRAW_DIGITS;
  return Math.floor(share * total);
}
