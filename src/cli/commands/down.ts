import { MayhemError, MayhemErrors } from '../../model/error.js';
import { ExitCode } from '../../model/exit-code.js';
import { isClean } from '../../model/lease.js';
import type { ComponentName } from '../../stack/component.js';
import type { Home } from '../../stack/home.js';
import { type Stopped, stopComponent, stopSupervisor } from '../../stack/stop-stack.js';
import { abortActiveRuns, endUnattended } from '../abort-active-runs.js';
import type { CommandResult } from '../command-spec.js';
import { type CommandContext, flag, homeOf } from '../context.js';
import { findHands, type Hands, isAnythingInForce, livingHands } from '../hands.js';
import { loadSettings } from '../settings.js';

const ORDER: readonly ComponentName[] = ['worker', 'agent', 'temporal', 'postgres'];

/** First every fault is undone and proven, by the runs' own abort and then by the agents; then the processes go. */
export async function run(context: CommandContext): Promise<CommandResult> {
  const { output } = context;
  const { config } = await loadSettings(context);
  const home = homeOf(context);
  const force = flag(context, 'force');
  await abortActiveRuns({ context, home, config });
  const dockerHost = context.env.DOCKER_HOST ?? null;
  await undoAll({ home, dockerHost, force, warn: (message) => output.notices([{ level: 'warning', message }]) });
  const stopped: Stopped[] = [];
  const note = (one: Stopped | null) => {
    if (one === null) return;
    stopped.push(one);
    output.progress(`${one.name} ${one.how} (pid ${one.pid})`);
  };
  note(await stopSupervisor({ home }));
  for (const name of ORDER) {
    note(await stopComponent({ home, name }));
    // Without a worker nothing is admitted any more: what was started in between is told so before the database goes.
    if (name === 'worker') await endUnattended({ context, home, config });
  }
  const left = stopped.filter(({ how }) => how === 'left');
  if (left.length > 0) {
    throw new MayhemErrors(
      left.map(
        ({ name, pid }) => new MayhemError('stack.failed', `${name} (pid ${pid}) does not end, not even by SIGKILL`),
      ),
    );
  }
  const text = stopped.length === 0 ? `nothing was running in ${home.path}` : 'everything is stopped';
  return { data: { home: home.path, stopped }, text, exitCode: ExitCode.SUCCESS };
}

/**
 * Undoes everything, by the living agents or, when none answers and a journal tells of something open, by one of our own. Throws
 * `undo.unproven`, `engine.unreachable`, unless forced: then it is a warning.
 */
async function undoAll(options: {
  readonly home: Home;
  readonly dockerHost: string | null;
  readonly force: boolean;
  readonly warn: (message: string) => void;
}): Promise<void> {
  const problems: string[] = [];
  for (const hands of await handsNeeded(options)) {
    try {
      if ((await hands.openLeases()).length === 0) continue;
      for (const report of await hands.undoAll({ releasedBy: 'operator' })) {
        if (isClean(report.outcome)) continue;
        problems.push(`the fault of lease ${report.lease_id} is not proven ended: ${report.problem ?? report.outcome}`);
      }
    } finally {
      await hands.close();
    }
  }
  if (options.force) for (const problem of problems) options.warn(problem);
  else if (problems.length > 0) {
    const hint = 'Nothing was stopped; see `mayhem inspect leases`, or stop all the same with --force.';
    throw new MayhemErrors(problems.map((problem) => new MayhemError('undo.unproven', problem, { hint })));
  }
}

async function handsNeeded(options: Parameters<typeof undoAll>[0]): Promise<readonly Hands[]> {
  try {
    const living = await livingHands(options.home);
    if (living.length > 0 || !(await isAnythingInForce(options.home))) return living;
    return await findHands(options);
  } catch (error) {
    if (!options.force) throw error;
    options.warn(`what is still in force could not be undone: ${(error as Error).message}`);
    return [];
  }
}
