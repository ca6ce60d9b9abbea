import { readFileSync } from 'node:fs';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Who runs the database: PostgreSQL refuses root, so for root it is `postgres`, else `nobody`; null for everyone else, who
 * runs it as themselves.
 */
export function serverUser(options: { readonly uid: number }): ServerUser | null {
  if (options.uid !== 0) return null;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  return { uid: 65_534, gid: 65_534 };
}
