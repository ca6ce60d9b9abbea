import { readFile } from 'node:fs/promises';
import type { Config, ConfigOrigin } from '../model/config.js';
import { type CommandContext, listOption, textOption } from './context.js';

export interface Settings {
  readonly config: Config;
  readonly origins: readonly ConfigOrigin[];
  /** The file given by `--config` when it is a drill: it serves as the SPEC. */
  readonly drillFile: string | null;
}

/** The configuration in force for this command line; its notices are shown. Throws config.invalid, config.missing. */
export async function loadSettings(context: CommandContext): Promise<Settings> {
  const { loadConfig } = await import('../documents/load-config.js');
  const given = textOption(context, 'config');
  const drillFile = given !== null && (await isDrill(given)) ? given : null;
  const { config, origins, notices } = await loadConfig({
    cwd: context.cwd,
    file: drillFile === null ? given : null,
    profile: textOption(context, 'profile'),
    set: listOption(context, 'set'),
    env: context.env,
    policyName: textOption(context, 'policy'),
  });
  context.output.notices(notices);
  if (textOption(context, 'db') !== null) {
    context.output.notices([{ level: 'notice', message: '--db has no effect: evidence is in Postgres' }]);
  }
  return { config, origins, drillFile };
}

/** Whether a file says of itself that it is a drill; one that cannot be read is left to its proper reader. */
export async function isDrill(file: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return /^kind:[ \t]*['"]?drill['"]?[ \t]*(#.*)?\r?$/m.test(text);
}
