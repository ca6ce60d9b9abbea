import { connectDocker } from '../../engines/docker/docker-engine.js';
import { openDatabase } from '../../evidence/database.js';
import { ExitCode } from '../../model/exit-code.js';
import { refusalOf } from '../../safety/refusal.js';
import { ensureStack } from '../../stack/ensure-stack.js';
import { currentActor } from '../actor.js';
import type { CommandResult } from '../command-spec.js';
import { compileSpec } from '../compile-spec.js';
import { engineOfAgent } from '../connect-agent.js';
import { type CommandContext, flag, homeOf, textOption } from '../context.js';
import { followToEnd } from '../follow-to-end.js';
import { Interrupts } from '../interrupts.js';
import { notSupported } from '../parse-options.js';
import { startRun } from '../start-run.js';

export async function run(context: CommandContext): Promise<CommandResult> {
  const engineName = textOption(context, 'engine') ?? 'docker';
  if (engineName !== 'docker') throw notSupported(`--engine ${engineName}`);
  const { env, output, own } = context;
  const { config, decisions, plan, stack } = await compileSpec(context);
  const refusal = refusalOf(decisions);
  if (refusal !== null) throw refusal;
  const engine = await connectDocker({ host: env.DOCKER_HOST ?? null });
  const home = homeOf(context);
  const location = await ensureStack({ home, config, env, own, progress: (line) => output.progress(line) });
  const engineId = await engineOfAgent({ home, engine });

  const { connectTemporal } = await import('../temporal-client.js');
  const db = openDatabase({ url: location.databaseUrl, applicationName: 'mayhem-cli', maxConnections: 2 });
  const temporal = await connectTemporal({ temporal: location.temporal, env });
  const interrupts = new Interrupts();
  try {
    const runId = await startRun({
      db,
      temporal,
      plan,
      decisions,
      config,
      engineId,
      project: stack.project,
      actor: currentActor({ uid: context.uid }),
      allowCritical: flag(context, 'allowCritical'),
      ignoreBaseline: flag(context, 'ignoreBaseline'),
    });
    output.progress(`run ${runId} started`);
    if (flag(context, 'detach')) return detached(runId, plan.digest);
    return await followToEnd({ context, db, location, runId, interrupts });
  } finally {
    interrupts.close();
    await Promise.allSettled([temporal.close(), db.destroy()]);
  }
}

function detached(runId: string, planDigest: string): CommandResult {
  return {
    data: { run_id: runId, plan_digest: planDigest, status: 'pending' },
    text: `run ${runId} goes on by itself — follow it with \`mayhem attach ${runId}\``,
    exitCode: ExitCode.SUCCESS,
    evidenceRefs: [runId],
  };
}
