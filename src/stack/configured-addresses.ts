import type { Config } from '../model/config.js';
import { MayhemError } from '../model/error.js';
import { acceptsConnection } from './answers.js';

const WITHIN_MS = 3000;

/**
 * Looks whether what is configured elsewhere takes connections at all, before anything of ours is started: a configured
 * address is never replaced by the embedded part. Throws temporal.unreachable, database.unreachable.
 */
export async function checkConfigured(config: Config): Promise<void> {
  const { address } = config.temporal;
  if (address !== null && !(await acceptsConnection({ to: hostAndPort(address, 7233), withinMs: WITHIN_MS }))) {
    throw new MayhemError('temporal.unreachable', `Temporal at ${address} does not answer`, {
      hint: 'Start it, correct temporal.address (or TEMPORAL_ADDRESS), or remove it to use the embedded server.',
      details: { address },
    });
  }
  const database = config.database_url;
  if (database === null) return;
  const { shown, to } = databaseAddress(database);
  if (!(await acceptsConnection({ to, withinMs: WITHIN_MS }))) {
    throw new MayhemError('database.unreachable', `the database at ${shown} does not answer`, {
      hint: 'Start it, correct storage.database (or MAYHEM_DATABASE_URL), or remove it to use the embedded server.',
      details: { address: shown },
    });
  }
}

export function hostAndPort(address: string, defaultPort: number): { host: string; port: number } {
  const match = /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(address);
  return { host: match?.[1] ?? address, port: match?.[2] === undefined ? defaultPort : Number(match[2]) };
}

/** Where a connection URL points, without its password; a folder as host means a unix socket (libpq, 34.1.1). */
function databaseAddress(url: string): { shown: string; to: { host: string; port: number } | { path: string } } {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch (cause) {
    throw new MayhemError('config.invalid', 'the configured database is no connection URL', {
      hint: 'Write it as postgres://user:password@host:port/database.',
      cause,
    });
  }
  const port = parsed.port === '' ? 5432 : Number(parsed.port);
  const folder = parsed.searchParams.get('host') ?? decodeURIComponent(parsed.hostname);
  if (folder.startsWith('/')) return { shown: folder, to: { path: `${folder}/.s.PGSQL.${port}` } };
  const host = folder === '' ? 'localhost' : folder.replace(/^\[|\]$/g, '');
  return { shown: `${host}:${port}`, to: { host, port } };
}
