export interface HttpProbe {
  readonly type: 'http';
  readonly url: string;
  readonly method: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | null;
  readonly timeout_ms: number;
}
export interface TcpProbe {
  readonly type: 'tcp';
  readonly host: string;
  readonly port: number;
  readonly timeout_ms: number;
}
export type Probe = HttpProbe | TcpProbe;

/** Conditions one sample must meet, all of them. Bounds on latency are inclusive, in milliseconds. */
export interface Expectation {
  readonly status?: number;
  readonly latency_ms_lt?: number;
  readonly reachable?: boolean;
  readonly contains?: string;
}

/** One check of a `check` block: run once where it stands. */
export interface CheckProbe {
  readonly id: string | null;
  readonly probe: Probe;
  readonly expect: Expectation;
}

/** A probe sampled before, during and after the faults. */
export interface SteadyStateProbe {
  readonly id: string;
  readonly probe: Probe;
  readonly cadence_ms: number;
  readonly window_ms: number;
  readonly expect: Expectation;
  readonly min_ok_pct: number;
}
