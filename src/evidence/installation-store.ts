import { sql } from 'kysely';
import type { Database } from './database.js';

/**
 * The identity all our marks carry. The database's own when it has one; else `installationId` (from the state folder) is stored; with
 * neither, a new one is made. The caller keeps what is returned in its state folder, so that either place restores the other. When
 * both have one and they differ, the database's is returned.
 */
export async function ensureInstallation(db: Database, installationId: string | null): Promise<string> {
  await sql`
    insert into installation (installation_id, created_at)
    values (coalesce(${installationId}::text, 'i-' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 16)), clock_timestamp())
    on conflict do nothing`.execute(db);
  const row = await db.selectFrom('installation').select('installation_id').executeTakeFirstOrThrow();
  return row.installation_id;
}
