import { Kysely, PostgresDialect } from 'kysely';
import type { PostgresPool, PostgresPoolClient, Transaction } from 'kysely';
import pg from 'pg';
import { MayhemError } from '../model/error.js';
import { asDatabaseError } from './database-error.js';
import type { Schema } from './schema.js';

export type Database = Kysely<Schema>;

export interface DatabaseOptions {
  /** `postgres://…`, TCP or (with `?host=/folder`) a unix socket. */
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  readonly maxConnections?: number;
  /** Longest wait for a connection, in milliseconds; default 5000. */
  readonly connectTimeoutMs?: number;
  /** Longest time one statement may take, in milliseconds; default 30000. A server that hangs is given up a second later. */
  readonly statementTimeoutMs?: number;
}

const TIMESTAMPTZ = 1184;

/** Times come back as RFC 3339 UTC with milliseconds, as they are written everywhere else. */
const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    const parse = pg.types.getTypeParser(oid, format as 'text');
    if (oid !== TIMESTAMPTZ) return parse;
    return (text: string) => (parse(text) as unknown as Date).toISOString();
  },
};

/**
 * Opens a pool of connections to the evidence database; nothing is sent before the first query. Close it with `destroy()`.
 * Every query that fails because the server is away, refuses or hangs throws `database.unreachable` (see `asDatabaseError`);
 * a connection lost while idle is replaced in silence. Throws `config.invalid` when the URL is none.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? 30_000;
  const pool = makePool(options, statementTimeoutMs);
  // A lost connection is reported by the query that needs one; without these listeners it would end the process.
  const ignore = (): void => undefined;
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: translating(pool) }) });
}

function makePool(options: DatabaseOptions, statementTimeoutMs: number): pg.Pool {
  if (!/^postgres(ql)?:\/\//.test(options.url)) {
    throw new MayhemError('config.invalid', 'the database URL does not start with postgres://', {
      hint: 'Write it as postgres://user:password@host:port/database.',
    });
  }
  return new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 8,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 1_000,
    lock_timeout: Math.min(10_000, statementTimeoutMs),
    idle_in_transaction_session_timeout: 30_000,
    types,
  });
}

function translating(pool: pg.Pool): PostgresPool {
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    async connect() {
      const client = await pool.connect().catch((err: unknown) => {
        throw asDatabaseError(err);
      });
      const wrapped = known.get(client) ?? translatingClient(client);
      known.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

function translatingClient(client: pg.PoolClient): PostgresPoolClient {
  let broken = false;
  const query = async (text: string, parameters: readonly unknown[]): Promise<unknown> => {
    try {
      return await client.query(text, [...parameters]);
    } catch (err) {
      const translated = asDatabaseError(err);
      // After a timeout on our side the answer may still arrive: such a connection must not serve another query.
      if (translated instanceof MayhemError && translated.code === 'database.unreachable') broken = true;
      throw translated;
    }
  };
  return {
    query: query as PostgresPoolClient['query'],
    release: (destroy?: boolean) => client.release(destroy === true || broken),
  };
}

/** Runs `work` in the transaction at hand, or in a new one. */
export function inTransaction<T>(db: Database, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db as Transaction<Schema>);
  return db.transaction().execute(work);
}
