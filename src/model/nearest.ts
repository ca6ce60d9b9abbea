/** Words longer than this are not compared: no name of ours is, and the cost grows with the product of the lengths. */
const LONGEST_WORD = 64;

/**
 * The candidate nearest to a word by edit distance (insert, delete, replace, swap of neighbours), case ignored; null when
 * none is near enough to be a likely slip: at most a third of the word's length, at least two edits for words of four and more.
 */
export function nearest(options: { readonly word: string; readonly candidates: Iterable<string> }): string | null {
  const word = options.word.toLowerCase();
  if (word === '' || word.length > LONGEST_WORD) return null;
  const limit = word.length < 4 ? 1 : Math.max(2, Math.floor(word.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of options.candidates) {
    if (Math.abs(candidate.length - word.length) > limit || candidate.length > LONGEST_WORD) continue;
    const distance = editDistance(word, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance: every edit and every swap of neighbours costs one. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
