/**
 * Which of a service's live containers a fault is for. Absent: all of them. `count` at least 1; `percentage` above 0 up to 100, rounded
 * up and at least one container; `random` one container, drawn from the run's seed.
 */
export type Selection =
  | { readonly mode: 'one' }
  | { readonly mode: 'all' }
  | { readonly mode: 'count'; readonly count: number }
  | { readonly mode: 'percentage'; readonly percentage: number }
  | { readonly mode: 'random' };

/** A selection in words, as messages and evidence carry it. */
export function selectionText(selection: Selection): string {
  switch (selection.mode) {
    case 'count':
      return `count ${selection.count}`;
    case 'percentage':
      return `${selection.percentage} %`;
    default:
      return selection.mode;
  }
}
