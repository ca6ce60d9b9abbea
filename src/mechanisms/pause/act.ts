import type { ContainerState } from '../../engines/engine.js';
import { readFreezer } from '../../engines/host/freezer.js';
import { MayhemError } from '../../model/error.js';
import type { JsonObject } from '../../model/json.js';
import type { LeaseSpec } from '../../model/lease.js';
import type { ActContext, Mechanism } from '../mechanism.js';
import { pauseContract } from './contract.js';

/** Freezes a container through its engine. Leaves nothing on the target, so its mark is the claim on the engine. */
export const pause: Mechanism = {
  contract: pauseContract,

  async snapshot(context, lease) {
    const state = await pinned(context, lease);
    if (state === null || !isSame(state, lease)) {
      throw drift(lease, 'is not the container that was pinned any more', state);
    }
    if (!state.running || state.paused)
      throw drift(lease, state.paused ? 'is paused already' : 'is not running', state);
    if (state.autoRemove) {
      throw new MayhemError(
        'capability.unsupported',
        `${lease.target.name} was started with --rm: it could not be put back`,
        {
          hint: 'start it without --rm',
        },
      );
    }
    return {
      running: true,
      paused: false,
      started_at: state.startedAt,
      restart_count: state.restartCount,
      pid: state.pid,
    };
  },

  recipe: ({ lease }) => ({ unpause: lease.target.container_id, started_at: lease.target.started_at }),

  async inject(context, record, { repeated }) {
    const state = await pinned(context, record.lease);
    if (state === null || !isSame(state, record.lease) || !state.running) {
      throw drift(record.lease, 'is not the container that was pinned any more', state);
    }
    // A pause that we cannot have made is somebody else's: unpausing it later would take away what was there before.
    if (state.paused && !repeated) throw drift(record.lease, 'was paused by somebody else', state);
    if (!state.paused) await context.engine.pausing.pause(state.id, context);
  },

  async verifyInjected(context, record) {
    const state = await pinned(context, record.lease);
    if (state === null || !isSame(state, record.lease))
      return { outcome: 'not_observed', read: readingOf(state, null) };
    const freezer = await freezerOf(context, state);
    const confirmed = state.paused && (freezer === null || freezer === 'frozen');
    const thawed = !state.paused && (freezer === null || freezer === 'thawed');
    return {
      outcome: confirmed ? 'confirmed' : thawed ? 'not_observed' : 'inconclusive',
      read: readingOf(state, freezer),
    };
  },

  async undo(context, record) {
    const state = await pinned(context, record.lease);
    // Another incarnation was never paused by us: docker restart, kill and stop lift a pause by themselves.
    if (state === null || !isSame(state, record.lease) || !state.paused) return;
    await context.engine.pausing.unpause(state.id, context);
  },

  async verifyUndone(context, record) {
    const state = await pinned(context, record.lease);
    if (state === null) return { outcome: 'gone', read: readingOf(null, null) };
    if (!isSame(state, record.lease)) return { outcome: 'replaced', read: readingOf(state, null) };
    // The same incarnation, ended meanwhile: a dead container holds no pause.
    if (!state.running) return { outcome: 'gone', read: readingOf(state, null) };
    const freezer = await freezerOf(context, state);
    const restored = !state.paused && (freezer === null || freezer === 'thawed');
    return { outcome: restored ? 'restored' : 'residue', read: readingOf(state, freezer) };
  },
};

function pinned(context: ActContext, lease: LeaseSpec): Promise<ContainerState | null> {
  return context.engine.containers.inspect(lease.target.container_id, context);
}

function isSame(state: ContainerState, lease: LeaseSpec): boolean {
  return state.id === lease.target.container_id && state.startedAt === lease.target.started_at;
}

async function freezerOf(context: ActContext, state: ContainerState): Promise<string | null> {
  return context.engine.local ? readFreezer({ pid: state.pid, containerId: state.id }) : null;
}

function readingOf(state: ContainerState | null, freezer: string | null): JsonObject {
  if (state === null) return { container: null };
  return {
    container: state.id,
    started_at: state.startedAt,
    running: state.running,
    paused: state.paused,
    freezer,
  };
}

function drift(lease: LeaseSpec, what: string, state: ContainerState | null): MayhemError {
  return new MayhemError('target.drift', `${lease.target.name} ${what}`, {
    hint: 'start the drill again, so that it is bound to what runs now',
    details: {
      pinned: lease.target.container_id,
      started_at: lease.target.started_at,
      found: state?.startedAt ?? null,
    },
  });
}
