import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MayhemError } from '../model/error.js';
import { clusterMajor } from './find-postgres.js';
import { runProgram } from './run-program.js';
import type { ServerUser } from './server-user.js';

/**
 * Makes a database cluster with the user and database `mayhem`, unless there is one. It is made beside its final place and
 * renamed at the end, so that a half-made one is never taken for whole. False when there was one. Throws stack.failed.
 */
export async function makeCluster(options: {
  readonly folder: string;
  readonly programs: string;
  readonly password: string;
  readonly user: ServerUser | null;
}): Promise<boolean> {
  const data = dataFolder(options.folder);
  if (clusterMajor(data) !== null) return false;
  const draft = `${data}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const owner = options.user;
  if (owner !== null) chownSync(options.folder, owner.uid, owner.gid);
  chmodSync(options.folder, 0o700);
  const passwordFile = join(options.folder, 'password.new');
  writeFileSync(passwordFile, options.password, { mode: 0o600 });
  if (owner !== null) chownSync(passwordFile, owner.uid, owner.gid);
  const as = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
  const common = { withinMs: 60_000, cwd: options.folder, ...as };
  const made = await runProgram({
    program: join(options.programs, 'initdb'),
    args: [
      ['-D', draft, '-U', 'mayhem', '-E', 'UTF8', '--no-locale', '--auth=scram-sha-256'],
      [`--pwfile=${passwordFile}`, '--no-sync', '--no-instructions'],
    ].flat(),
    ...common,
  });
  rmSync(passwordFile, { force: true });
  if (made.code !== 0) throw clusterFailed(options.folder, made.stderr);
  const database = await runProgram({
    program: join(options.programs, 'postgres'),
    args: ['--single', '-D', draft, 'postgres'],
    stdin: 'create database mayhem\n',
    ...common,
  });
  if (database.code !== 0) throw clusterFailed(options.folder, database.stderr);
  renameSync(draft, data);
  return true;
}

/**
 * Brings a new cluster's files to disk, which `makeCluster` leaves to the system so that nobody waits for it.
 * The server may run meanwhile; a failure is the next power cut's chance and no more.
 */
export async function syncCluster(options: {
  readonly folder: string;
  readonly programs: string;
  readonly as: Partial<ServerUser>;
}): Promise<void> {
  const args = ['--sync-only', '-D', dataFolder(options.folder)];
  const program = join(options.programs, 'initdb');
  await runProgram({ program, args, withinMs: 120_000, cwd: options.folder, ...options.as });
}

export function dataFolder(folder: string): string {
  return join(folder, 'data');
}

function clusterFailed(folder: string, stderr: string): MayhemError {
  const reason = stderr.trim().split('\n').slice(-3).join(' ');
  return new MayhemError('stack.failed', `cannot make a database in ${folder}: ${reason}`, {
    hint: 'Each folder above MAYHEM_HOME must let other users through (chmod o+x): the database server runs as another user.',
  });
}
