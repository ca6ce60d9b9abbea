import type { LeaseSpec } from './lease.js';

/** A plan's names tied to live identities at admission. `digest` is SHA-256 over the canonical form of the rest. */
export interface Binding {
  readonly schema: 'mayhem/binding/v1';
  readonly run_id: string;
  readonly plan_digest: string;
  readonly engine_id: string;
  readonly project: string | null;
  /** SHA-256 over engine identities and blueprint digest. */
  readonly environment_fingerprint: string;
  readonly leases: readonly LeaseSpec[];
  readonly digest: string;
}
