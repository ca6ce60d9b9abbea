import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, inject } from 'vitest';
import { openDatabase } from '../src/evidence/database.js';
import type { Database } from '../src/evidence/database.js';
import { TEMPLATE_DATABASE } from './postgres-global.js';

export interface TestDatabase {
  readonly url: string;
  readonly db: Database;
}

/**
 * Gives a test file a database of its own, cloned from the migrated template before its first test and dropped after its last.
 * With `empty: true` it is not migrated. Call it at the top of the file; what it returns may be read from the first test on.
 */
export function testDatabase(options: { readonly empty?: boolean } = {}): TestDatabase {
  let opened: TestDatabase | null = null;
  let admin: Database | null = null;
  const name = `test_${randomBytes(6).toString('hex')}`;
  beforeAll(async () => {
    const serverUrl = inject('postgresUrl');
    if (serverUrl === null) throw new Error('these tests need PostgreSQL: apt-get install postgresql');
    admin = openDatabase({ url: serverUrl, applicationName: 'mayhem-test', maxConnections: 1 });
    const template = options.empty === true ? 'template1' : TEMPLATE_DATABASE;
    await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(admin);
    const url = serverUrl.replace(/\/postgres$/, `/${name}`);
    opened = { url, db: openDatabase({ url, applicationName: 'mayhem-test' }) };
  });
  afterAll(async () => {
    await opened?.db.destroy();
    if (admin === null) return;
    await sql`drop database if exists ${sql.id(name)} with (force)`.execute(admin);
    await admin.destroy();
  });
  const current = (): TestDatabase => {
    if (opened === null) throw new Error('the test database is opened before the first test, not earlier');
    return opened;
  };
  return {
    get url() {
      return current().url;
    },
    get db() {
      return current().db;
    },
  };
}
