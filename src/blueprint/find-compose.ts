import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { MayhemError, MayhemErrors } from '../model/error.js';
import type { Notice } from '../model/notice.js';

const NAMES = ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml'] as const;

export interface FoundCompose {
  readonly file: string;
  readonly notices: readonly Notice[];
}

/**
 * Finds the compose file of a folder. Throws blueprint.missing listing what was looked for, and blueprint.unsupported when an
 * override file lies beside it: leaving that out would describe another stack than runs.
 */
export async function findCompose(dir: string): Promise<FoundCompose> {
  const present: string[] = [];
  for (const name of NAMES) if (await exists(join(dir, name))) present.push(name);
  const first = present[0];
  if (first === undefined) {
    throw new MayhemErrors([
      new MayhemError('blueprint.missing', `no compose file in ${dir}: looked for ${NAMES.join(', ')}`, {
        hint: 'give one with --compose FILE',
        details: { dir, looked_for: NAMES },
      }),
    ]);
  }
  const stem = first.replace(/\.ya?ml$/, '');
  for (const extension of ['yml', 'yaml']) {
    const override = join(dir, `${stem}.override.${extension}`);
    if (await exists(override)) {
      throw new MayhemErrors([
        new MayhemError('blueprint.unsupported', `the override file ${override} is not supported yet`, {
          place: { file: override, line: 1, column: 1 },
          hint: 'give one merged file with --compose, for example from `docker compose config`',
        }),
      ]);
    }
  }
  const notices: Notice[] =
    present.length === 1
      ? []
      : [
          {
            level: 'warning',
            message: `several compose files in ${dir}: ${first} is used, not ${present.slice(1).join(', ')}`,
          },
        ];
  return { file: join(dir, first), notices };
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
