import type { CallOptions, Engine, Mark } from '../engines/engine.js';
import { sha256Hex } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import type { UndoRecord } from '../model/lease.js';

export const LEASE_LABEL = 'mayhem.lease';
const INSTALLATION_LABEL = 'mayhem.installation';
const RECORD_LABEL = 'mayhem.record';
const DEADLINE_LABEL = 'mayhem.deadline';

/** A claim on one resource of the engine, read back from its mark. */
export interface Claim {
  readonly mark: string;
  readonly lease_id: string;
  readonly installation_id: string;
  /** Upper bound of the fault's end, RFC 3339 UTC. */
  readonly deadline: string;
  /** The whole undo record; null when the mark's label cannot be read. */
  readonly record: UndoRecord | null;
}

/** The name of the mark that claims a resource: the same on every host and for every installation. */
export function markNameOf(resource: string): string {
  return `mayhem-${sha256Hex(resource).slice(0, 32)}`;
}

/**
 * Claims every resource of a lease on the engine itself, so that no other agent, of whatever installation, can hold one of
 * them at the same time. The marks carry the undo record: enough to end the fault when journal and database are gone.
 * Idempotent by lease. Throws `lease.conflict` naming the holder, with nothing of this call left behind.
 */
export async function claimAll(
  options: CallOptions & { readonly engine: Engine; readonly record: UndoRecord; readonly deadline: string },
): Promise<void> {
  const { lease } = options.record;
  const placed: string[] = [];
  for (const resource of lease.resources) {
    const name = markNameOf(resource);
    const there = await options.engine.marks.place(
      {
        name,
        labels: {
          [LEASE_LABEL]: lease.lease_id,
          [INSTALLATION_LABEL]: options.record.installation_id,
          [DEADLINE_LABEL]: options.deadline,
          [RECORD_LABEL]: JSON.stringify(options.record),
        },
      },
      options,
    );
    const claim = claimOf(there);
    if (claim.lease_id === lease.lease_id) {
      placed.push(name);
      continue;
    }
    for (const mark of placed) await options.engine.marks.remove(mark, options);
    const holder = claim.record?.lease;
    throw new MayhemError(
      'lease.conflict',
      `${lease.target.name} is held by run ${holder?.run_id ?? 'unknown'} (${holder?.fault ?? 'unknown fault'}, lease ${claim.lease_id}) until ${claim.deadline}`,
      {
        hint: 'wait until that run has ended, or stop it',
        details: {
          resource,
          holder_run_id: holder?.run_id ?? null,
          holder_lease_id: claim.lease_id,
          installation_id: claim.installation_id,
        },
      },
    );
  }
}

/** The claim of one lease, or null when its mark is not there or is somebody else's. */
export async function findClaim(
  options: CallOptions & { readonly engine: Engine; readonly leaseId: string; readonly resources: readonly string[] },
): Promise<Claim | null> {
  const [first] = options.resources;
  if (first === undefined) return null;
  const mark = await options.engine.marks.read(markNameOf(first), options);
  const claim = mark === null ? null : claimOf(mark);
  return claim?.lease_id === options.leaseId ? claim : null;
}

/** All claims on the engine, whosever they are. */
export async function allClaims(options: CallOptions & { readonly engine: Engine }): Promise<readonly Claim[]> {
  return (await options.engine.marks.list(LEASE_LABEL, options)).map(claimOf);
}

/** Ends the claims of a lease; a mark that is somebody else's by now stays. */
export async function endClaims(
  options: CallOptions & { readonly engine: Engine; readonly leaseId: string; readonly resources: readonly string[] },
): Promise<void> {
  for (const resource of options.resources) {
    const mark = await options.engine.marks.read(markNameOf(resource), options);
    if (mark !== null && claimOf(mark).lease_id === options.leaseId)
      await options.engine.marks.remove(mark.name, options);
  }
}

function claimOf(mark: Mark): Claim {
  return {
    mark: mark.name,
    lease_id: mark.labels[LEASE_LABEL] ?? '',
    installation_id: mark.labels[INSTALLATION_LABEL] ?? '',
    deadline: mark.labels[DEADLINE_LABEL] ?? '',
    record: recordOf(mark.labels[RECORD_LABEL]),
  };
}

function recordOf(text: string | undefined): UndoRecord | null {
  try {
    const record = JSON.parse(text ?? 'null') as UndoRecord | null;
    return record?.schema === 'mayhem/undo/v1' ? record : null;
  } catch {
    return null;
  }
}
