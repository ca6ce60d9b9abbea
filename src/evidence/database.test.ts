import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../../test/postgres.js';
import { MayhemError } from '../model/error.js';
import { asDatabaseError } from './database-error.js';
import { openDatabase } from './database.js';
import type { Database } from './database.js';
import { listRuns } from './run-store.js';

const database = testDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function open(
  url: string,
  options: { readonly statementTimeoutMs?: number; readonly connectTimeoutMs?: number } = {},
): Database {
  const db = openDatabase({ url, applicationName: 'mayhem-test', maxConnections: 1, ...options });
  cleanUps.push(() => db.destroy());
  return db;
}

async function failure(work: Promise<unknown>): Promise<MayhemError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (err: unknown) => err,
  );
  expect(error).toBeInstanceOf(MayhemError);
  return error as MayhemError;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('the evidence database', () => {
  test('is unreachable, with exit code 8 and a remedy, when nobody listens', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const error = await failure(listRuns(open(`postgres://u:secret@127.0.0.1:${port}/x`), { limit: 1 }));
    expect([error.code, error.exitCode]).toEqual(['database.unreachable', 8]);
    expect(error.hint).toContain('MAYHEM_DATABASE_URL');
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(error.message).not.toContain('secret');
  });

  test('is unreachable when who listens never answers', async () => {
    const sockets: { destroy(): void }[] = [];
    const server = createServer((socket) => sockets.push(socket));
    const port = await listen(server);
    cleanUps.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const db = open(`postgres://u@127.0.0.1:${port}/x`, { connectTimeoutMs: 200 });
    expect((await failure(listRuns(db, { limit: 1 }))).code).toBe('database.unreachable');
  });

  test('is unreachable when it refuses us, or has no such database', async () => {
    const wrong = database.url.replace(/:[^:@/]+@/, ':wrong@');
    expect((await failure(listRuns(open(wrong), { limit: 1 }))).code).toBe('database.unreachable');
    expect((await failure(listRuns(open(`${database.url}_not`), { limit: 1 }))).code).toBe('database.unreachable');
  });

  test('is unreachable when a statement takes too long, and serves the next one', async () => {
    const db = open(database.url, { statementTimeoutMs: 100 });
    expect((await failure(sql`select pg_sleep(5)`.execute(db))).code).toBe('database.unreachable');
    expect(await listRuns(db, { limit: 1 })).toEqual([]);
  });

  test('that hangs is given up, and a late answer never reaches the next query', async () => {
    const { hostname, port } = new URL(database.url);
    const pairs: [Socket, Socket][] = [];
    const proxy = createServer((near) => {
      const far = connect({ host: hostname, port: Number(port) });
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      pairs.push([near, far]);
    });
    const url = new URL(database.url);
    url.port = String(await listen(proxy));
    cleanUps.push(async () => {
      for (const socket of pairs.flat()) socket.destroy();
      proxy.close();
    });
    const db = open(url.href, { statementTimeoutMs: 100 });
    expect(await listRuns(db, { limit: 1 })).toEqual([]);
    const [near, far] = pairs[0] as [Socket, Socket];
    far.unpipe(near);
    expect((await failure(sql`select 'late' as answer`.execute(db))).code).toBe('database.unreachable');
    far.pipe(near);
    expect((await sql`select 'next' as answer`.execute(db)).rows).toEqual([{ answer: 'next' }]);
    expect(pairs).toHaveLength(2);
  });

  test('may end our idle connection and is found again by the next query', async () => {
    const db = open(database.url);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.db);
    const after = async (): Promise<unknown> => listRuns(db, { limit: 1 }).catch((err: MayhemError) => err.code);
    // The loss may be noticed only by the query itself; the one after that has a new connection.
    expect([[], 'database.unreachable']).toContainEqual(await after());
    expect(await after()).toEqual([]);
  });

  test('may end a connection in the middle of a transaction: that fails, the process lives', async () => {
    const db = open(database.url);
    const error = await failure(
      db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.db);
        await listRuns(trx, { limit: 1 });
      }),
    );
    expect(error.code).toBe('database.unreachable');
    expect(await listRuns(db, { limit: 1 })).toEqual([]);
  });

  test('gives times as RFC 3339 UTC with milliseconds', async () => {
    const { rows } = await sql<{ at: string | null }>`
      select timestamptz '2026-03-01 12:00:00.12+02' as at union all select null`.execute(database.db);
    expect(rows).toEqual([{ at: '2026-03-01T10:00:00.120Z' }, { at: null }]);
  });

  test('is refused by its URL when that is none', () => {
    expect(() => openDatabase({ url: 'mysql://x', applicationName: 'x' })).toThrowError(/does not start with postgres/);
  });
});

describe('an error of the database', () => {
  test('that is no loss of it stays what it was', () => {
    const error = Object.assign(new Error('duplicate key'), { code: '23505' });
    expect(asDatabaseError(error)).toBe(error);
  });

  test('about a missing table points to the migration', async () => {
    const error = await failure(sql`select * from no_such_table`.execute(database.db));
    expect([error.code, error.hint]).toEqual(['database.schema', 'Run `mayhem db migrate` against this database.']);
  });
});
