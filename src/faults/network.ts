import type { FaultEntry } from '../model/fault.js';

/** Faults in a target's network namespace. */
export const networkFaults: readonly FaultEntry[] = [
  {
    id: 'net.connection_refuse',
    aliases: [],
    lane: 'container',
    category: 'network',
    risk: 'high',
    capMs: 300_000,
    kinds: ['container', 'service'],
    undoOutcomes: ['restored'],
    params: [
      {
        name: 'port',
        type: 'integer',
        required: true,
        min: 1,
        max: 65_535,
        help: 'the port whose connections are refused',
      },
      { name: 'protocol', type: 'string', default: 'tcp', values: ['tcp', 'udp'], help: 'tcp or udp' },
      {
        name: 'direction',
        type: 'string',
        default: 'both',
        values: ['ingress', 'egress', 'both'],
        help: "ingress: others to the target's port; egress: the target to that port elsewhere; both",
      },
    ],
    mechanism: 'firewall',
    mechanismParams: (params) => ({ ...params, action: 'refuse' }),
    effect: 'new connections to `port` are refused',
    sample: { params: { port: 80 }, durationMs: 2000 },
  },
];
