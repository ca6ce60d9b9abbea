import { type Database, openDatabase } from '../../evidence/database.js';
import { findUndoRecord, openLeases } from '../../evidence/lease-store.js';
import { schemaVersion } from '../../evidence/migrate.js';
import { MayhemError } from '../../model/error.js';
import type { UndoRecord } from '../../model/lease.js';
import { locateStack } from '../../stack/ensure-stack.js';
import { importTombstones } from '../../worker/import-tombstones.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, homeOf } from '../context.js';
import { findHands, type Hands } from '../hands.js';
import { loadSettings } from '../settings.js';
import { type Ended, undoAnswer } from '../undo-answer.js';

const DATABASE_PATIENCE_MS = 1_500;

/**
 * Ends every fault of this installation, from whatever is left: the journal, Postgres, or the marks on the engine. Needs no Temporal,
 * no worker and, where the journal or the marks are there, no Postgres.
 */
export async function run(context: CommandContext): Promise<CommandResult> {
  const db = await answeringDatabase(context);
  try {
    const records = db === null ? [] : await storedRecords(db);
    const all = await findHands({ home: homeOf(context), dockerHost: context.env.DOCKER_HOST ?? null });
    const ended: Ended[] = [];
    try {
      for (const hands of all) {
        ended.push(...(await rescueEngine(hands, records)));
        if (db !== null) await importTombstones({ db, agent: hands });
      }
    } finally {
      for (const hands of all) await hands.close();
    }
    return undoAnswer({ ended, nothing: 'nothing of ours is in force' });
  } finally {
    await db?.destroy();
  }
}

async function rescueEngine(hands: Hands, records: readonly UndoRecord[]): Promise<readonly Ended[]> {
  const own = records.filter((record) => record.lease.target.engine_id === hands.engineId);
  const known = new Map(own.map((record) => [record.lease.lease_id, record]));
  for (const lease of await hands.openLeases()) if (lease.record) known.set(lease.lease_id, lease.record);
  const before = new Set((await hands.unacknowledged()).map((report) => report.lease_id));
  const reports = [...(await hands.undoAll({ releasedBy: 'operator' }))];
  for (const record of own) {
    const leaseId = record.lease.lease_id;
    if (!reports.some((report) => report.lease_id === leaseId)) {
      reports.push(await hands.undo(leaseId, { releasedBy: 'operator', record }));
    }
  }
  await hands.sweepMarks();
  // What the sweep found has tombstones now, too.
  const swept = (await hands.unacknowledged()).filter(
    ({ lease_id: id }) => !before.has(id) && !reports.some((report) => report.lease_id === id),
  );
  return [...reports, ...swept].map((report): Ended => {
    const lease = known.get(report.lease_id)?.lease;
    return {
      lease_id: report.lease_id,
      run_id: lease?.run_id ?? null,
      fault: lease?.fault ?? null,
      target: lease?.target.name ?? null,
      report,
    };
  });
}

/** Undo records of all open leases that Postgres knows. */
async function storedRecords(db: Database): Promise<readonly UndoRecord[]> {
  const leases = await openLeases(db);
  const records = await Promise.all(leases.map((lease) => findUndoRecord(db, lease.lease_id)));
  return records.filter((record) => record !== null);
}

/** The evidence database, or null, with a notice, when there is none or it does not answer. */
async function answeringDatabase(context: CommandContext): Promise<Database | null> {
  const { config } = await loadSettings(context);
  const url = config.database_url ?? locateStack({ home: homeOf(context), config })?.databaseUrl;
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
