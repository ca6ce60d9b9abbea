import { ExitCode } from '../../model/exit-code.js';
import { refusalOf } from '../../safety/refusal.js';
import type { CommandResult } from '../command-spec.js';
import { compileSpec } from '../compile-spec.js';
import type { CommandContext } from '../context.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const { decisions, drill, plan, stack } = await compileSpec(context);
  const refusal = refusalOf(decisions);
  if (refusal !== null) throw refusal;
  const faults = plan.steps.filter((step) => step.kind === 'fault').length;
  const services = stack.blueprint.services.length;
  return {
    data: { name: drill.name, file: drill.file, plan_digest: plan.digest, faults, steps: plan.steps.length, services },
    text: [
      `${context.output.palette.green('valid')}: ${drill.name} (${drill.file})`,
      `${count(faults, 'fault')} in ${count(plan.steps.length, 'step')} on ${count(services, 'service')}`,
      `plan ${plan.digest}`,
    ].join('\n'),
    exitCode: ExitCode.SUCCESS,
  };
}

const count = (amount: number, what: string) => `${amount} ${what}${amount === 1 ? '' : 's'}`;
