import { boundary } from '../host/boundary.js';
import type { LeaseSpec, UndoRecord } from '../model/lease.js';
import { type AgentOptions, ENGINE_DEADLINE_MS, nowOf } from './agent-options.js';
import { claimAll } from './claims.js';

/** Nothing is injected later than this after arming: a request that was held up is refused. */
const INJECT_WINDOW_MS = 30_000;

/** When a lease that is armed now is over at the latest, RFC 3339 UTC: for its mark. */
export function upperDeadlineOf(options: AgentOptions, spec: LeaseSpec): string {
  return new Date(options.clock.wallMs() + INJECT_WINDOW_MS + spec.duration_ms).toISOString();
}

/** Writes a lease to the journal, so that it can be injected; claims it first where an earlier agent held its claim, or none. */
export async function armLease(
  options: AgentOptions,
  { record, isClaimed }: { readonly record: UndoRecord; readonly isClaimed: boolean },
): Promise<void> {
  const { clock, engine, journal } = options;
  const { lease } = record;
  if (!isClaimed) {
    const signal = AbortSignal.timeout(ENGINE_DEADLINE_MS);
    await claimAll({ engine, record, deadline: upperDeadlineOf(options, lease), signal });
  }
  const bootMs = clock.bootMs();
  await boundary('agent.before-journal');
  await journal.append({
    kind: 'armed',
    lease_id: lease.lease_id,
    at: nowOf(clock),
    record,
    boot_id: clock.bootId(),
    inject_by_boot_ms: bootMs + INJECT_WINDOW_MS,
    deadline_boot_ms: bootMs + INJECT_WINDOW_MS + lease.duration_ms,
  });
  await boundary('agent.after-journal');
}
