import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/postgres.js';
import { openDatabase } from './database.js';
import { migrate, schemaVersion } from './migrate.js';

const database = testDatabase({ empty: true });

describe('migration', () => {
  test('by several processes at once is done once, and again does nothing', async () => {
    expect(await schemaVersion(database.db)).toBe(0);
    const callers = [1, 2, 3, 4].map((number) =>
      openDatabase({ url: database.url, applicationName: `caller-${number}` }),
    );
    const results = await Promise.all(callers.map((db) => migrate(db)));
    await Promise.all(callers.map((db) => db.destroy()));
    expect(results.filter((result) => result.applied.length > 0)).toHaveLength(1);
    expect(await migrate(database.db)).toEqual({ version: await schemaVersion(database.db), applied: [] });
    expect(await schemaVersion(database.db)).toBeGreaterThan(0);
  });

  test('gives every table a comment', async () => {
    await migrate(database.db);
    const { rows } = await sql<{ name: string }>`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind = 'r' and c.relname <> 'schema_migrations' and obj_description(c.oid) is null`.execute(
      database.db,
    );
    expect(rows).toEqual([]);
  });

  test('refuses a database that is newer than this code', async () => {
    await migrate(database.db);
    await sql`insert into schema_migrations values (9999, 'future', 'x', now())`.execute(database.db);
    await expect(migrate(database.db)).rejects.toMatchObject({ code: 'database.schema', exitCode: 8 });
    await sql`delete from schema_migrations where version = 9999`.execute(database.db);
  });

  test('refuses a database whose migration is not the one shipped', async () => {
    await migrate(database.db);
    await sql`update schema_migrations set digest = 'other' where version = 1`.execute(database.db);
    await expect(migrate(database.db)).rejects.toMatchObject({ code: 'database.schema' });
  });
});
