import { join } from 'node:path';
import type { ContainerState } from '../../engines/engine.js';
import { readCpuAllowance } from '../../engines/host/cpu-allowance.js';
import { findProgram } from '../../engines/host/find-program.js';
import { findMarked, killMarked } from '../../engines/host/marked-processes.js';
import { MayhemError } from '../../model/error.js';
import type { JsonObject } from '../../model/json.js';
import type { UndoRecord } from '../../model/lease.js';
import type { ActContext, Mechanism } from '../mechanism.js';
import { clearGroups, leftGroups } from './clear-groups.js';
import { stressContract } from './contract.js';
import { isTraceLeft, launchStressor, removeTrace } from './launch.js';
import { readStressor } from './proof.js';
import { markOf, recipeOf, type StressFingerprint, stressRecipe } from './recipe.js';
import { drift, groupsOfTarget, isSame, pinned } from './target.js';

const KILL_WITHIN_MS = 2_000;
const CLEAR_WITHIN_MS = 500;

/** A stressor of the host in the target's control groups, which ends by its own timeout when nobody ends it. */
export const stress: Mechanism = {
  contract: stressContract,

  async snapshot(context, lease) {
    requireHost(context);
    const state = await pinned(context, lease);
    if (state === null || !isSame(state, lease)) {
      throw drift(lease, 'is not the container that was pinned any more', state);
    }
    if (!state.running || state.pid <= 0) throw drift(lease, 'is not running', state);
    const [groups, stressNg] = await Promise.all([groupsOfTarget(state), findProgram('stress-ng')]);
    if (stressNg === null) {
      throw new MayhemError('capability.unsupported', `${lease.fault} needs stress-ng on the engine's host`, {
        hint: 'install the package stress-ng there',
      });
    }
    const fingerprint: StressFingerprint = {
      pid: state.pid,
      started_at: state.startedAt,
      groups: groups.joined,
      allowance: await readCpuAllowance(groups.all),
      stress_ng: stressNg,
    };
    return fingerprint as unknown as JsonObject;
  },

  recipe: stressRecipe,

  async inject(context, record, { repeated }) {
    const { lease } = record;
    const state = await pinned(context, lease);
    if (state === null || !isSame(state, lease) || !state.running) {
      throw drift(lease, 'is not the container that was pinned any more', state);
    }
    const folders = (await groupsOfTarget(state)).joined.map((group) => group.folder);
    if (recipeOf(record).groups.some((group) => !folders.includes(group.folder))) {
      throw drift(lease, 'has moved to other control groups', state);
    }
    // An attempt that was cut off may have started one, which would end too early for this one's deadline.
    if (repeated) await killMarked({ mark: markOf(lease), withinMs: KILL_WITHIN_MS });
    const folder = folderOf(context, record);
    await removeTrace(folder);
    context.signal.throwIfAborted();
    await launchStressor({ record, folder, nowMs: Date.now() });
  },

  // What cannot be read is inconclusive, not an error: the stressor must be ended even when the engine does not answer.
  async verifyInjected(context, record) {
    const failed = (error: unknown) => error as Error;
    const [reading, target] = await Promise.all([
      readStressor({ record, folder: folderOf(context, record), signal: context.signal }).catch(failed),
      pinned(context, record.lease).catch(failed),
    ]);
    if (reading instanceof Error) return { outcome: 'inconclusive', read: { problem: reading.message } };
    if (target instanceof Error) {
      const outcome = reading.outcome === 'confirmed' ? 'inconclusive' : reading.outcome;
      return { outcome, read: { ...reading.read, problem: target.message } };
    }
    const isHeld = target !== null && isSame(target, record.lease) && target.running;
    const outcome = isHeld || reading.outcome === 'expired' ? reading.outcome : 'not_observed';
    return { outcome, read: { ...readingOf(target), ...reading.read } };
  },

  async undo(context, record) {
    requireHost(context);
    const asked = pinned(context, record.lease).catch((error: unknown) => error as Error);
    await killMarked({ mark: markOf(record.lease), withinMs: KILL_WITHIN_MS });
    await removeTrace(folderOf(context, record));
    const state = await asked;
    // What could be ended without the engine is ended by now.
    if (state instanceof Error) throw state;
    if (isOver(state)) await clearGroups({ folders: ownFolders(record), withinMs: CLEAR_WITHIN_MS });
  },

  async verifyUndone(context, record) {
    requireHost(context);
    const [marked, traceLeft, state] = await Promise.all([
      findMarked({ mark: markOf(record.lease) }),
      isTraceLeft(folderOf(context, record)),
      pinned(context, record.lease),
    ]);
    const groupsLeft = isOver(state) ? await leftGroups(ownFolders(record)) : [];
    const read = {
      ...readingOf(state),
      processes: marked.map(({ pid }) => pid),
      trace_left: traceLeft,
      groups_left: groupsLeft,
    };
    if (marked.length > 0 || traceLeft || groupsLeft.length > 0) return { outcome: 'residue', read };
    if (state === null) return { outcome: 'gone', read };
    if (!isSame(state, record.lease)) return { outcome: 'replaced', read };
    return { outcome: state.running ? 'restored' : 'gone', read };
  },
};

/** Without root on the engine's host neither could the stressor be placed nor its end be proven. */
function requireHost(context: ActContext): void {
  if (!context.engine.local) {
    throw new MayhemError('capability.unsupported', 'a stressor needs an agent on the host of the engine', {
      hint: "start the agent there, with the engine's own socket",
    });
  }
  if (process.geteuid?.() !== 0) {
    throw new MayhemError('capability.unsupported', 'a stressor needs an agent that is root', {
      hint: 'start the agent as root',
    });
  }
}

function folderOf(context: ActContext, record: UndoRecord): string {
  return join(context.pins, record.lease.lease_id);
}

function ownFolders(record: UndoRecord): readonly string[] {
  return recipeOf(record).groups.map((group) => group.own);
}

/** Gone, or dead and not about to be started again. */
function isOver(state: ContainerState | null): boolean {
  return state === null || !state.running;
}

function readingOf(state: ContainerState | null): JsonObject {
  if (state === null) return { container: null };
  return { container: state.id, started_at: state.startedAt, running: state.running, paused: state.paused };
}
