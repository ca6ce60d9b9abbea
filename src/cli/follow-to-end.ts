import type { Database } from '../evidence/database.js';
import type { StackLocation } from '../stack/stack-file.js';
import { abortRun } from './abort-run.js';
import { currentActor } from './actor.js';
import type { CommandResult } from './command-spec.js';
import { type CommandContext, flag } from './context.js';
import { followRun } from './follow-run.js';
import type { Interrupts } from './interrupts.js';
import { leftToWorker } from './left-to-worker.js';
import { answerOfRun } from './run-answer.js';

/** Follows a run to its end, as `run` and `attach` do alike; interrupts abort it, then leave it. */
export async function followToEnd(options: {
  readonly context: CommandContext;
  readonly db: Database;
  readonly location: StackLocation;
  readonly runId: string;
  readonly interrupts: Interrupts;
}): Promise<CommandResult> {
  const { context, db, interrupts, location, runId } = options;
  const { env, output, uid } = context;
  const abort = () => {
    const { temporal } = location;
    const actor = currentActor({ uid });
    abortRun({ db, temporal, env, runId, actor, reason: 'interrupted', withinMs: 60_000 }).catch((error: Error) =>
      output.progress(`the abort could not be delivered: ${error.message}`),
    );
  };
  const followed = await followRun({ db, location, runId, output, interrupts, abort });
  if (followed.kind === 'left') return leftToWorker(runId);
  return answerOfRun({ db, run: followed.run, output, requirePass: flag(context, 'requirePass') });
}
