import { readFile, readdir } from 'node:fs/promises';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { sha256Hex } from '../model/digest.js';
import { MayhemError } from '../model/error.js';
import type { Database } from './database.js';
import type { Schema } from './schema.js';

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly digest: string;
}

interface Applied {
  readonly version: number;
  readonly digest: string;
}

/** Any number of our own; two `migrate` calls at once run one after the other under it. */
const MIGRATION_LOCK = 730_104_001;
const FOLDER = new URL('../../migrations/', import.meta.url);

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      return { version: Number(name.slice(0, 4)), name: name.slice(5, -4), text, digest: sha256Hex(text) };
    }),
  );
}

/**
 * Brings the database to this version's schema, in one transaction: all of it or nothing. Forward only; safe to call from several
 * processes at once, and again. Throws `database.schema` when the database is newer than this code, or when a migration that was
 * applied is no longer the one shipped.
 */
export async function migrate(
  db: Database,
): Promise<{ readonly version: number; readonly applied: readonly number[] }> {
  const migrations = await readMigrations();
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(trx);
    await sql`create table if not exists schema_migrations (
      version integer primary key, name text not null, digest text not null, applied_at timestamptz(3) not null
    )`.execute(trx);
    const before = await appliedMigrations(trx);
    refuseForeign(migrations, before);
    const missing = migrations.filter((migration) => !before.some((row) => row.version === migration.version));
    for (const migration of missing) {
      await sql.raw(migration.text).execute(trx);
      await sql`insert into schema_migrations (version, name, digest, applied_at)
        values (${migration.version}, ${migration.name}, ${migration.digest}, clock_timestamp())`.execute(trx);
    }
    return { version: migrations.at(-1)?.version ?? 0, applied: missing.map((migration) => migration.version) };
  });
}

/** The newest migration applied to this database; 0 when there is none. */
export async function schemaVersion(db: Database): Promise<number> {
  const { rows } = await sql<{ present: boolean }>`
    select to_regclass('schema_migrations') is not null as present`.execute(db);
  if (rows[0]?.present !== true) return 0;
  return (await appliedMigrations(db)).reduce((newest, row) => Math.max(newest, row.version), 0);
}

async function appliedMigrations(db: Kysely<Schema>): Promise<readonly Applied[]> {
  const { rows } = await sql<Applied>`select version, digest from schema_migrations order by version`.execute(db);
  return rows;
}

function refuseForeign(migrations: readonly Migration[], applied: readonly Applied[]): void {
  const newest = migrations.at(-1)?.version ?? 0;
  for (const row of applied) {
    const ours = migrations.find((migration) => migration.version === row.version);
    if (ours === undefined) {
      throw new MayhemError(
        'database.schema',
        `the database has schema ${row.version}, this version of Mayhem knows schemas up to ${newest}`,
        { hint: 'Use the newer version of Mayhem that made it, or another database.' },
      );
    }
    if (ours.digest !== row.digest) {
      throw new MayhemError('database.schema', `migration ${row.version} of the database is not the one shipped`, {
        hint: 'Use the version of Mayhem that made this database, or another database.',
      });
    }
  }
}
