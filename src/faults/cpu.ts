import type { FaultEntry } from '../model/fault.js';

/** Faults of CPU time, done in the target's control groups. */
export const cpuFaults: readonly FaultEntry[] = [
  {
    id: 'cpu.saturate',
    aliases: [],
    lane: 'container',
    category: 'cpu',
    risk: 'medium',
    capMs: 300_000,
    kinds: ['container', 'pod', 'service', 'host'],
    undoOutcomes: ['restored'],
    params: [
      {
        name: 'percent',
        type: 'percent',
        min: 1,
        max: 100,
        default: 80,
        help: "how much of the target's own CPU allowance is burnt",
      },
    ],
    mechanism: 'stress',
    mechanismParams: ({ percent }) => ({ percent: percent ?? 80 }),
    effect: "`percent` of the target's CPU allowance is burnt inside its cgroup",
    sample: { params: { percent: 50 }, durationMs: 2000 },
  },
];
