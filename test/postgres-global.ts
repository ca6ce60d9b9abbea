import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/evidence/database.js';
import { migrate } from '../src/evidence/migrate.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of this test run's Postgres, as superuser; null: the machine has no Postgres. */
    postgresUrl: string | null;
  }
}

/** The database that tests' own databases are cloned from. */
export const TEMPLATE_DATABASE = 'mayhem_template';
const DEADLINE_MS = 30_000;

/** Starts one private Postgres for the whole test run; returns what stops it and removes its folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const bin = findBinaries();
  if (bin === null) {
    project.provide('postgresUrl', null);
    return async () => undefined;
  }
  const owner = serverUser();
  const folder = await mkdtemp(join(tmpdir(), 'mayhem-postgres-'));
  if (owner !== null) await chown(folder, owner.uid, owner.gid);
  const data = join(folder, 'data');
  const warden = startWarden(folder);
  const program = (name: string, args: readonly string[]): Promise<void> =>
    runProgram({ file: join(bin, name), args, cwd: folder, owner });
  let started = false;
  const teardown = async (): Promise<void> => {
    if (started) await program('pg_ctl', ['stop', '-D', data, '-m', 'immediate', '-w']);
    await rm(folder, { recursive: true, force: true });
    warden.stdin.end();
  };
  try {
    const password = randomBytes(12).toString('hex');
    const passwordFile = join(folder, 'password');
    await writeFile(passwordFile, password);
    await program('initdb', [
      '-D',
      data,
      '-U',
      'postgres',
      '--auth=scram-sha-256',
      '--pwfile',
      passwordFile,
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ]);
    const port = await freePort();
    const settings = [
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=200`,
      '-c fsync=off -c synchronous_commit=off -c full_page_writes=off',
    ];
    started = true;
    await program('pg_ctl', ['start', '-D', data, '-l', join(folder, 'log'), '-w', '-o', settings.join(' ')]);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    await makeTemplate(url);
    project.provide('postgresUrl', url);
  } catch (err) {
    await teardown();
    throw err;
  }
  return teardown;
}

/** Ends the server if this process dies before it can. In a session of its own: what ends a terminal's programs spares it. */
function startWarden(folder: string) {
  const file = fileURLToPath(new URL('./postgres-warden.mjs', import.meta.url));
  const child = spawn(process.execPath, [file, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  child.unref();
  return child;
}

async function makeTemplate(url: string): Promise<void> {
  const admin = openDatabase({ url, applicationName: 'mayhem-test', maxConnections: 1 });
  const { sql } = await import('kysely');
  await sql`create database ${sql.id(TEMPLATE_DATABASE)}`.execute(admin);
  await admin.destroy();
  const template = openDatabase({
    url: url.replace(/\/postgres$/, `/${TEMPLATE_DATABASE}`),
    applicationName: 'mayhem-test',
  });
  await migrate(template);
  await template.destroy();
}

function findBinaries(): string | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(root, version, 'bin')), ...(process.env['PATH'] ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root: then it runs as `postgres`, else as `nobody`. null: as we are. */
function serverUser(): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find((fields) => fields[0] === 'postgres') ?? users.find((fields) => fields[0] === 'nobody');
  return user === undefined ? null : { uid: Number(user[2]), gid: Number(user[3]) };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a program to its end, without pipes: a server it starts would keep them open. */
async function runProgram(options: {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly owner: Owner | null;
}): Promise<void> {
  const child = spawn(options.file, [...options.args], {
    cwd: options.cwd,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
    ...options.owner,
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? -1));
  });
  const timer = new AbortController();
  const deadline = sleep(DEADLINE_MS, -2, { signal: timer.signal }).catch(() => -2);
  const code = await Promise.race([ended, deadline]);
  timer.abort();
  if (code === -2) child.kill('SIGKILL');
  if (code !== 0) throw new Error(`${options.file} ${options.args.join(' ')} ended with ${code}`);
}
