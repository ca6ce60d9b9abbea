import pg from 'pg';
import redis from 'redis';
import { log } from './service.mjs';

/** @returns {import('pg').Pool} connections to the shop's database; every wait on it ends within seconds */
export function openDatabase() {
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: 10,
    connectionTimeoutMillis: 2_000,
    query_timeout: 2_000,
  });
  pool.on('error', (error) => log('database.connection_lost', { reason: error.message }));
  return pool;
}

/**
 * A client that reconnects by itself and refuses commands, instead of storing them, while it is not connected.
 *
 * @returns {Promise<any>}
 */
export async function openRedis() {
  const client = redis.createClient({
    url: process.env.REDIS_URL,
    disableOfflineQueue: true,
    socket: { connectTimeout: 2_000, reconnectStrategy: () => 500 },
  });
  client.on('error', (error) => log('redis.error', { reason: error.message }));
  await client.connect();
  return client;
}

/**
 * Gives up waiting for a promise.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {number} timeoutMs
 * @returns {Promise<T>}
 */
export async function within(promise, timeoutMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
