import { type Database, openDatabase } from '../../evidence/database.js';
import { findUndoRecord, openLeases } from '../../evidence/lease-store.js';
import { schemaVersion } from '../../evidence/migrate.js';
import { MayhemError } from '../../model/error.js';
import type { UndoRecord, UndoReport } from '../../model/lease.js';
import { locateStack } from '../../stack/ensure-stack.js';
import { importTombstones } from '../../worker/import-tombstones.js';
import { abortBeforeRescue } from '../abort-before-rescue.js';
import { currentActor } from '../actor.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { findHands, type Hands } from '../hands.js';
import { loadSettings } from '../settings.js';
import { type Ended, undoAnswer } from '../undo-answer.js';

const DATABASE_PATIENCE_MS = 1_500;

/**
 * Ends every fault of this installation, from whatever is left: the journal, Postgres, or the marks on the engine. Needs no Temporal,
 * no worker and, where the journal or the marks are there, no Postgres. Runs that still go on are told to abort first: they inject
 * nothing any more.
 */
export async function run(context: CommandContext): Promise<CommandResult> {
  const { config } = await loadSettings(context);
  const location = locateStack({ home: homeOf(context), config });
  const db = await answeringDatabase(context, config.database_url ?? location?.databaseUrl);
  try {
    const all = await findHands({ home: homeOf(context), dockerHost: context.env.DOCKER_HOST ?? null });
    const ended: Ended[] = [];
    let aborted: readonly string[] = [];
    try {
      const temporal = location?.temporal ?? null;
      const actor = currentActor({ uid: context.uid });
      aborted = await abortBeforeRescue({ db, temporal, hands: all, env: context.env, actor });
      if (aborted.length > 0) context.output.progress(`told to abort: ${aborted.join(', ')}`);
      // Read after that: what a run stored before it was told is ended here, and afterwards it stores nothing.
      const records = db === null ? [] : await storedRecords(db);
      for (const hands of all) {
        ended.push(...(await rescueEngine(hands, records)));
        if (db !== null) await importTombstones({ db, agent: hands });
      }
    } finally {
      for (const hands of all) await hands.close();
    }
    return undoAnswer({ ended, aborted, nothing: 'nothing of ours is in force' });
  } finally {
    await db?.destroy();
  }
}

async function rescueEngine(hands: Hands, records: readonly UndoRecord[]): Promise<readonly Ended[]> {
  const own = new Map(
    records
      .filter((record) => record.lease.target.engine_id === hands.engineId)
      .map((record) => [record.lease.lease_id, record]),
  );
  const before = new Set((await hands.unacknowledged()).map((report) => report.lease_id));
  const reports = [...(await hands.undoAll({ releasedBy: 'operator' }))];
  const done = new Set(reports.map((report) => report.lease_id));
  reports.push(
    ...(await undoStored(
      hands,
      [...own.values()].filter(({ lease }) => !done.has(lease.lease_id)),
    )),
  );
  await hands.sweepMarks({ releasedBy: 'operator' });
  // What the sweep found has tombstones now, too.
  const swept = (await hands.unacknowledged()).filter(
    ({ lease_id: id }) => !before.has(id) && !reports.some((report) => report.lease_id === id),
  );
  return Promise.all(
    [...reports, ...swept].map(async (report): Promise<Ended> => {
      const { lease_id: leaseId } = report;
      const lease = (own.get(leaseId) ?? (await hands.lease(leaseId))?.record)?.lease;
      const { run_id: runId = null, fault = null, target } = lease ?? {};
      return { lease_id: leaseId, run_id: runId, fault, target: target?.name ?? null, report };
    }),
  );
}

/** Ends what only Postgres knows of: newest first on each target, targets side by side. */
async function undoStored(hands: Hands, records: readonly UndoRecord[]): Promise<readonly UndoReport[]> {
  const byTarget = new Map<string, UndoRecord[]>();
  for (const record of records.toSorted((a, b) => (a.prepared_at < b.prepared_at ? 1 : -1))) {
    const target = record.lease.target.container_id;
    byTarget.set(target, [...(byTarget.get(target) ?? []), record]);
  }
  const chains = [...byTarget.values()].map(async (chain) => {
    const reports: UndoReport[] = [];
    for (const record of chain) {
      reports.push(await hands.undo(record.lease.lease_id, { releasedBy: 'operator', record }));
    }
    return reports;
  });
  return (await Promise.all(chains)).flat();
}

/** Undo records of all open leases that Postgres knows. */
async function storedRecords(db: Database): Promise<readonly UndoRecord[]> {
  const leases = await openLeases(db);
  const records = await Promise.all(leases.map((lease) => findUndoRecord(db, lease.lease_id)));
  return records.filter((record) => record !== null);
}

/** The evidence database, or null, with a notice, when there is none or it does not answer. */
async function answeringDatabase(context: CommandContext, url: string | undefined): Promise<Database | null> {
  if (!url) return null;
  const connectTimeoutMs = DATABASE_PATIENCE_MS;
  const db = openDatabase({ url, applicationName: 'mayhem rescue', maxConnections: 1, connectTimeoutMs });
  try {
    await schemaVersion(db);
    return db;
  } catch (error) {
    await db.destroy();
    if (!(error instanceof MayhemError) || error.code !== 'database.unreachable') throw error;
    const message = 'Postgres does not answer: going by the journal and the marks on the engine';
    context.output.notices([{ level: 'notice', message }]);
    return null;
  }
}
