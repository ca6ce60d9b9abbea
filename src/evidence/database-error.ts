import { MayhemError } from '../model/error.js';

const UNREACHABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOENT',
  'EACCES',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** SQLSTATE values (PostgreSQL manual, appendix A) after which the server did not do, or may not have done, what was asked. */
const UNREACHABLE_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '3D000', '57014', '55P03', '25P03']);
const UNREACHABLE_CLASSES = ['08', '28'];
/** Insufficient resources (a full disk, no memory) and errors of the server's system. */
const EXHAUSTED_CLASSES = ['53', '58'];
const SCHEMA_STATES = new Set(['42P01', '42703', '3F000']);
const UNREACHABLE_MESSAGE =
  /connection terminated|timeout exceeded|query read timeout|connection error|connection ended|server does not support ssl|driver has already been destroyed|cannot use a pool after calling end/i;

function codeOf(err: unknown): string {
  if (typeof err !== 'object' || err === null || !('code' in err)) return '';
  return typeof err.code === 'string' ? err.code : '';
}

function messageOf(err: Error): string {
  if (err.message !== '') return err.message;
  // One host name, several addresses: the reasons are inside.
  if (err instanceof AggregateError)
    return err.errors.map((e) => (e instanceof Error ? e.message : String(e))).join('; ');
  return codeOf(err);
}

/**
 * What a database's failure means to a user: `database.unreachable` when it could not be reached, refused us, or did not answer in
 * time; `database.full` when its disk or memory is; `database.schema` when its tables are not ours; anything else as it was, wrapped if it was no Error.
 */
export function asDatabaseError(err: unknown): Error {
  if (err instanceof MayhemError) return err;
  if (!(err instanceof Error)) return new Error(String(err), { cause: err });
  const code = codeOf(err);
  if (SCHEMA_STATES.has(code)) {
    return new MayhemError('database.schema', `the database lacks what this version of Mayhem needs: ${err.message}`, {
      hint: 'Run `mayhem db migrate` against this database.',
      cause: err,
    });
  }
  if (code.length === 5 && EXHAUSTED_CLASSES.includes(code.slice(0, 2)) && !UNREACHABLE_STATES.has(code)) {
    return new MayhemError('database.full', `the evidence database has run out of something: ${err.message}`, {
      hint: 'Free space where its data lies (embedded: the folder postgres in MAYHEM_HOME), then run this again.',
      cause: err,
    });
  }
  const unreachable =
    UNREACHABLE_CODES.has(code) ||
    UNREACHABLE_STATES.has(code) ||
    (code.length === 5 && UNREACHABLE_CLASSES.includes(code.slice(0, 2))) ||
    UNREACHABLE_MESSAGE.test(err.message);
  if (!unreachable) return err;
  return new MayhemError('database.unreachable', `the evidence database cannot be used: ${messageOf(err)}`, {
    hint: 'Check that Postgres runs: `mayhem up` starts the embedded one; one of yours is named by MAYHEM_DATABASE_URL or storage.database.',
    cause: err,
  });
}
