import { access } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { MayhemError } from '../model/error.js';
import { isDrill } from './settings.js';

/** Names under which a stack's compose file is looked for, the first one wins; see the blueprint's own reader. */
const COMPOSE_NAMES = ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml'] as const;
const SPEC_NAMES = ['mayhem.yaml', 'mayhem.yml'] as const;

/**
 * The drill that is meant: the one named, else the one given by `--config`, else mayhem.yaml or mayhem.yml of kind drill
 * beside the compose file, else in the working folder. Throws document.missing saying what was looked for.
 */
export async function findSpec(options: {
  readonly named: string | null;
  readonly fromConfig: string | null;
  readonly composeFiles: readonly string[];
  readonly cwd: string;
}): Promise<string> {
  if (options.named !== null) return options.named;
  if (options.fromConfig !== null) return options.fromConfig;
  const compose = options.composeFiles[0];
  const folders = [...(compose === undefined ? [] : [dirname(resolve(options.cwd, compose))]), options.cwd];
  const candidates = folders.flatMap((folder) => SPEC_NAMES.map((name) => join(folder, name)));
  for (const file of candidates) {
    if (await isDrill(file)) return file;
  }
  throw new MayhemError('document.missing', 'no drill was named and none was found', {
    hint: 'Name one (mayhem validate FILE), or write mayhem.yaml of kind drill in this folder.',
    details: { looked_for: candidates },
  });
}

/** The folder whose compose file is meant when none was named: the working folder if it has one, else the drill's. */
export async function blueprintFolder(options: { readonly cwd: string; readonly spec: string }): Promise<string> {
  for (const folder of [options.cwd, dirname(options.spec)]) {
    for (const name of COMPOSE_NAMES) {
      const found = await access(join(folder, name)).then(
        () => true,
        () => false,
      );
      if (found) return folder;
    }
  }
  return options.cwd;
}
