import { loadBlueprint } from '../blueprint/load-blueprint.js';
import { loadDrill } from '../documents/load-drill.js';
import { catalog } from '../faults/catalog.js';
import type { LoadedBlueprint } from '../model/blueprint.js';
import type { Config } from '../model/config.js';
import type { Drill } from '../model/drill.js';
import { type MayhemError, MayhemErrors } from '../model/error.js';
import type { Plan } from '../model/plan.js';
import type { Decision } from '../model/policy.js';
import { compilePlan } from '../planner/compile-plan.js';
import { decide } from '../safety/decide.js';
import { argument, type CommandContext, flag, listOption } from './context.js';
import { errorsOf } from './error-text.js';
import { blueprintFolder, findSpec } from './find-spec.js';
import { loadSettings } from './settings.js';

export interface CompiledSpec {
  readonly config: Config;
  readonly drill: Drill;
  readonly stack: LoadedBlueprint;
  readonly plan: Plan;
  readonly decisions: readonly Decision[];
}

/**
 * Configuration, drill and blueprint of this command line, compiled. Reads only; shows all notices. Throws every problem of
 * drill and blueprint at once.
 */
export async function compileSpec(context: CommandContext): Promise<CompiledSpec> {
  const { config, drillFile } = await loadSettings(context);
  const files = listOption(context, 'compose');
  const { cwd, env, output } = context;
  const file = await findSpec({ named: argument(context, 0), fromConfig: drillFile, composeFiles: files, cwd });
  const dir = await blueprintFolder({ cwd, spec: file });

  const errors: MayhemError[] = [];
  const collect = <T>(work: Promise<T>): Promise<T | null> =>
    work.catch((error: unknown) => {
      errors.push(...errorsOf(error));
      return null;
    });
  const stack = await collect(loadBlueprint({ files, dir, env }));
  const known = stack === null ? {} : { blueprint: stack.blueprint };
  const loaded = await collect(loadDrill({ file, lenient: flag(context, 'lenient'), ...known }));
  output.notices([...(stack?.notices ?? []), ...(loaded?.notices ?? [])]);
  // The drill's own problems first: it is what the user is writing.
  if (errors.length > 0 || stack === null || loaded === null) {
    const order = (error: MayhemError) => (error.place?.file === file || error.code.startsWith('document.') ? 0 : 1);
    throw new MayhemErrors(errors.toSorted((a, b) => order(a) - order(b)));
  }
  const { drill } = loaded;
  const compiled = compilePlan({ drill, blueprint: stack.blueprint, policy: config.policy, catalog });
  output.notices(compiled.notices);
  const decisions = decide({ plan: compiled.plan, allowCritical: flag(context, 'allowCritical'), catalog });
  return { config, drill, stack, plan: compiled.plan, decisions };
}
