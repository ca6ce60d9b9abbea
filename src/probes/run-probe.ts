import type { Probe } from '../model/probe.js';
import { probeHttp } from './http-probe.js';
import type { ProbeResult } from './probe-result.js';
import type { ResolveHost } from './service-addresses.js';
import { probeTcp } from './tcp-probe.js';

/** Runs one probe once, within its own timeout. Never throws: what goes wrong is what it measured. */
export function runProbe(options: {
  readonly probe: Probe;
  readonly resolve: ResolveHost;
  readonly signal: AbortSignal;
}): Promise<ProbeResult> {
  const { probe, ...rest } = options;
  switch (probe.type) {
    case 'http':
      return probeHttp({ probe, ...rest });
    case 'tcp':
      return probeTcp({ probe, ...rest });
  }
}
