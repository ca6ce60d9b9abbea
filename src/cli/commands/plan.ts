import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { MayhemError } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import type { CommandResult } from '../command-spec.js';
import { compileSpec } from '../compile-spec.js';
import { type CommandContext, textOption } from '../context.js';

/** Prints the plan as JSON, the same text that `-o` writes; what the gates say is shown beside it. */
export async function run(context: CommandContext): Promise<CommandResult> {
  const { decisions, plan } = await compileSpec(context);
  const refused = decisions.filter((decision) => !decision.allowed);
  context.output.notices(
    refused.map(({ gate, reason }) => ({ level: 'warning', message: `a run would be refused by ${gate}: ${reason}` })),
  );
  const text = `${JSON.stringify(plan, null, 2)}\n`;
  const file = textOption(context, 'output');
  const data = { plan, safety_decisions: decisions };
  if (file === null) return { data, text, exitCode: ExitCode.SUCCESS };
  try {
    await writeFile(resolve(context.cwd, file), text);
  } catch (cause) {
    throw new MayhemError('usage.invalid', `cannot write ${file}: ${(cause as Error).message}`, {
      hint: 'Name a file in a folder that you may write to.',
      cause,
    });
  }
  return { data, text: `plan ${plan.digest} written to ${file}`, exitCode: ExitCode.SUCCESS };
}
