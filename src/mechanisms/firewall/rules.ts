import { assertNever } from '../../model/error.js';
import type { FirewallParams } from './params.js';

/** One rule, in no firewall's own language. Packets over the loopback interface never meet it. */
export interface FirewallRule {
  /** Where the packet is met: on its way into the target or out of it. */
  readonly hook: 'input' | 'output';
  readonly protocol: FirewallParams['protocol'];
  /** Which of the packet's ports is meant. */
  readonly side: 'destination' | 'source';
  readonly port: number;
  /** opening: only the packet that opens a TCP connection; no_reset: all but resets, which must arrive where they are sent. */
  readonly packets: 'opening' | 'no_reset' | 'all';
  readonly verdict: 'tcp_reset' | 'port_unreachable' | 'drop';
}

/** The rules that make a firewall fault. Pure. */
export function rulesOf(params: FirewallParams): readonly FirewallRule[] {
  const { protocol, port, direction } = params;
  const hooks = (['input', 'output'] as const).filter(
    (hook) => direction === 'both' || direction === directionOf(hook),
  );
  return hooks.flatMap((hook): readonly FirewallRule[] => {
    const request = { hook, protocol, side: 'destination', port } as const;
    switch (params.action) {
      case 'drop':
        return [{ ...request, packets: 'all', verdict: 'drop' }];
      case 'refuse':
        return protocol === 'tcp'
          ? [{ ...request, packets: 'opening', verdict: 'tcp_reset' }]
          : [{ ...request, packets: 'all', verdict: 'port_unreachable' }];
      case 'reset': {
        if (protocol === 'udp') return [{ ...request, packets: 'all', verdict: 'port_unreachable' }];
        // A reset answers whoever sent the packet; the other end learns of it when it sends one itself.
        const answer = { ...request, hook: hook === 'input' ? 'output' : 'input', side: 'source' } as const;
        return [
          { ...request, packets: 'no_reset', verdict: 'tcp_reset' },
          { ...answer, packets: 'no_reset', verdict: 'tcp_reset' },
        ];
      }
      default:
        return assertNever(params.action);
    }
  });
}

function directionOf(hook: FirewallRule['hook']): 'ingress' | 'egress' {
  return hook === 'input' ? 'ingress' : 'egress';
}
