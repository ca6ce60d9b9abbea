import { MayhemError } from '../../model/error.js';
import type { ParamValues } from '../../model/fault.js';

const ACTIONS = ['refuse', 'reset', 'drop'] as const;
const PROTOCOLS = ['tcp', 'udp'] as const;
const DIRECTIONS = ['ingress', 'egress', 'both'] as const;

/** What the firewall is to do, and to which packets. */
export interface FirewallParams {
  /** refuse: new connections are answered no. reset: open ones too, at their next packet. drop: no answer at all. */
  readonly action: (typeof ACTIONS)[number];
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly port: number;
  /** ingress: others to the target's port; egress: the target to that port elsewhere. */
  readonly direction: (typeof DIRECTIONS)[number];
}

/** Reads a lease's parameters again, since a record may come from anywhere. Throws `plan.invalid`. */
export function readFirewallParams(params: ParamValues): FirewallParams {
  const { port } = params;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) throw invalid('port', port);
  return {
    action: oneOf(ACTIONS, 'action', params),
    protocol: oneOf(PROTOCOLS, 'protocol', params),
    port,
    direction: oneOf(DIRECTIONS, 'direction', params),
  };
}

function oneOf<T extends string>(values: readonly T[], name: string, params: ParamValues): T {
  const found = values.find((value) => value === params[name]);
  if (found === undefined) throw invalid(name, params[name]);
  return found;
}

function invalid(name: string, value: unknown): MayhemError {
  return new MayhemError('plan.invalid', `the firewall's ${name} cannot be ${JSON.stringify(value)}`);
}
