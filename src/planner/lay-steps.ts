import { assertNever } from '../model/error.js';
import type { CheckProbe } from '../model/probe.js';

/** What the layout needs of a drill: which names have how many faults, and the blocks. `T` is the fault as the caller has it. */
export type LayBlock =
  | { readonly kind: 'parallel' | 'sequential'; readonly names: readonly string[] }
  | { readonly kind: 'wait'; readonly duration_ms: number }
  | { readonly kind: 'check'; readonly checks: readonly CheckProbe[] };

interface LaidBase {
  readonly step_id: string;
  readonly seq: number;
  readonly block: number;
}
export type LaidStep<T> =
  | (LaidBase & { readonly kind: 'fault'; readonly name: string; readonly fault: T })
  | (LaidBase & { readonly kind: 'noop'; readonly name: string })
  | (LaidBase & { readonly kind: 'wait'; readonly duration_ms: number })
  | (LaidBase & { readonly kind: 'check'; readonly check: CheckProbe });

/**
 * Numbers the steps of a drill. The counter starts at 0. The faults of one name form a chain, one after another, each taking one
 * number; a name without faults takes one for its no-op. `parallel` starts all chains at the same number and then advances by the
 * longest; `sequential` advances by each chain. A wait takes one, and so does each probe of a check.
 */
export function layOutSteps<T>(options: {
  readonly blocks: readonly LayBlock[];
  readonly faultsOf: (name: string) => readonly T[];
}): readonly LaidStep<T>[] {
  const steps: LaidStep<T>[] = [];
  let next = 0;
  options.blocks.forEach((block, index) => {
    switch (block.kind) {
      case 'parallel':
      case 'sequential': {
        const first = next;
        for (const name of block.names) {
          const start = block.kind === 'parallel' ? first : next;
          const chain = options.faultsOf(name);
          chain.forEach((fault, place) => {
            const seq = start + place;
            steps.push({ kind: 'fault', step_id: idOf(name, seq), seq, block: index, name, fault });
          });
          if (chain.length === 0)
            steps.push({ kind: 'noop', step_id: idOf(name, start), seq: start, block: index, name });
          next = Math.max(next, start + Math.max(1, chain.length));
        }
        return;
      }
      case 'wait':
        steps.push({
          kind: 'wait',
          step_id: idOf('wait', next),
          seq: next,
          block: index,
          duration_ms: block.duration_ms,
        });
        next += 1;
        return;
      case 'check':
        block.checks.forEach((check, place) => {
          steps.push({ kind: 'check', step_id: `${idOf('check', next)}-${place}`, seq: next, block: index, check });
          next += 1;
        });
        return;
      default:
        assertNever(block);
    }
  });
  return steps;
}

/** `<name>-<seq>`, the number padded to four digits. */
export function idOf(name: string, seq: number): string {
  return `${name}-${String(seq).padStart(4, '0')}`;
}
