import type { FaultEntry } from '../model/fault.js';

/** Faults done to a container as a whole, through its engine. */
export const containerFaults: readonly FaultEntry[] = [
  {
    id: 'container.pause',
    aliases: [],
    lane: 'container',
    category: 'container',
    risk: 'medium',
    capMs: 300_000,
    kinds: ['container', 'service'],
    undoOutcomes: ['restored'],
    params: [],
    mechanism: 'pause',
    mechanismParams: () => ({}),
    effect: 'the engine freezes the container (cgroup freezer)',
    sample: { params: {}, durationMs: 2000 },
  },
];
