import { z } from 'zod';
import type { Expectation, Probe } from '../model/probe.js';
import { bool, durationMs, number, oneOf, text, unsupported } from './values.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
/** Probe types of the specification that this version does not build. */
const UNBUILT_PROBES = ['exec', 'process', 'metric', 'file', 'sql', 'dns', 'grpc', 'k8s'] as const;

const status = number({ whole: true, min: 100, max: 599 });
const url = text.refine((given) => /^https?:\/\//i.test(given) && URL.canParse(given), {
  error: 'expected a URL that begins with http:// or https://',
});
const httpFields = {
  url,
  method: oneOf(METHODS).optional(),
  headers: z.record(z.string(), text).optional(),
  body: z.string().optional(),
  timeout: durationMs().optional(),
  expected_status: status.optional(),
  contains: text.optional(),
  json: unsupported,
};
const tcpFields = {
  host: text,
  port: number({ whole: true, min: 1, max: 65_535 }),
  timeout: durationMs().optional(),
};
const unbuilt = z.looseObject({ type: z.enum(UNBUILT_PROBES) }).transform((given, ctx): never => {
  const params = { unsupported: true, hint: 'use http or tcp' };
  ctx.addIssue({ code: 'custom', path: ['type'], message: `the probe "${given.type}" is not supported yet`, params });
  return z.NEVER;
});

/** A probe as `{type: http, …}` or `{type: tcp, …}`. */
export const probeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('http'), ...httpFields }),
  z.strictObject({ type: z.literal('tcp'), ...tcpFields }),
  unbuilt,
]);

/** `expect` of a check or a steady state. */
export const expectSchema = z.strictObject({
  status: status.optional(),
  latency_ms: z.strictObject({ lt: number({ above: 0 }) }).optional(),
  reachable: bool.optional(),
  contains: text.optional(),
});

/** One entry of a `check` block, its short forms written out (see expandShortForms). */
export const checkSchema = z.strictObject({
  id: text.optional(),
  http: z.strictObject(httpFields).optional(),
  tcp: z.strictObject(tcpFields).optional(),
  expect: expectSchema.optional(),
  exec: unsupported,
  process: unsupported,
  metric: unsupported,
  file: unsupported,
  sql: unsupported,
  dns: unsupported,
  grpc: unsupported,
  k8s: unsupported,
});

type AuthoredProbe = z.output<typeof probeSchema>;
type AuthoredExpect = z.output<typeof expectSchema>;

/**
 * The probe and what its samples must meet. A http probe wants its `expected_status` (200), unless `expect` names a status or asks
 * for reachability alone; a tcp probe wants to be reachable.
 */
export function readProbe(options: {
  readonly authored: Exclude<AuthoredProbe, never>;
  readonly expect: AuthoredExpect | undefined;
}): { readonly probe: Probe; readonly expect: Expectation } {
  const { authored, expect } = options;
  const conditions = {
    ...(expect?.latency_ms === undefined ? {} : { latency_ms_lt: expect.latency_ms.lt }),
    ...(expect?.reachable === undefined ? {} : { reachable: expect.reachable }),
  };
  if (authored.type === 'tcp') {
    const probe: Probe = {
      type: 'tcp',
      host: authored.host,
      port: authored.port,
      timeout_ms: authored.timeout ?? 3000,
    };
    return { probe, expect: { reachable: true, ...conditions } };
  }
  const probe: Probe = {
    type: 'http',
    url: authored.url,
    method: authored.method ?? 'GET',
    headers: authored.headers ?? {},
    body: authored.body ?? null,
    timeout_ms: authored.timeout ?? 5000,
  };
  const wanted = expect?.status ?? authored.expected_status ?? (expect?.reachable === undefined ? 200 : undefined);
  const contains = expect?.contains ?? authored.contains;
  return {
    probe,
    expect: {
      ...(wanted === undefined ? {} : { status: wanted }),
      ...conditions,
      ...(contains === undefined ? {} : { contains }),
    },
  };
}

/** `http: <url>` and `tcp: <host>:<port>` of a check written out as maps; anything else as it is. */
export function expandShortForms(check: unknown): unknown {
  if (check === null || typeof check !== 'object' || Array.isArray(check)) return check;
  const { http, tcp } = check as { http?: unknown; tcp?: unknown };
  return {
    ...check,
    ...(typeof http === 'string' ? { http: { url: http } } : {}),
    ...(typeof tcp === 'string' ? { tcp: hostAndPort(tcp) } : {}),
  };
}

function hostAndPort(word: string): Record<string, string> {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(word);
  return match === null ? { host: word } : { host: match[1] ?? match[2] ?? '', port: match[3] as string };
}
