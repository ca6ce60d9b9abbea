import { join } from 'node:path';
import type { ContainerState } from '../../engines/engine.js';
import {
  isHostNetwork,
  namespacePathOf,
  type NetworkNamespace,
  openNetworkNamespace,
} from '../../engines/host/network-namespace.js';
import { isPinned, pinNamespace, pinPathOf, unpinNamespace } from '../../engines/host/pin.js';
import { MayhemError } from '../../model/error.js';
import type { JsonObject } from '../../model/json.js';
import type { LeaseSpec, ProofOutcome, UndoneOutcome, UndoRecord } from '../../model/lease.js';
import type { ActContext, Mechanism, Reading } from '../mechanism.js';
import type { FirewallBackend, FirewallReading } from './backend.js';
import { firewallContract } from './contract.js';
import { iptablesBackend } from './iptables-backend.js';
import { nftBackend } from './nft-backend.js';
import { readFirewallParams } from './params.js';
import { rulesOf } from './rules.js';

/** The rules outlive deadline and grace by this much, so that the kernel never races the agent. */
const EXPIRY_MARGIN_MS = 1_000;

/**
 * Rules in the target's network namespace that the kernel ends by itself. The namespace is pinned for as long as the lease lasts: it may
 * outlive its container in a sidecar, and is then the one to clean. `backends` in order of preference.
 */
export function firewallBy(backends: readonly FirewallBackend[]): Mechanism {
  const backendOf = (record: UndoRecord): FirewallBackend => {
    const backend = backends.find(({ name }) => name === record.recipe['backend']);
    if (backend) return backend;
    throw new MayhemError(
      'capability.unsupported',
      `firewall ${JSON.stringify(record.recipe['backend'])} is not known here`,
    );
  };

  const readIn = async (context: ActContext, record: UndoRecord, inside: NetworkNamespace): Promise<FirewallReading> =>
    backendOf(record).read({
      inside,
      signal: context.signal,
      record,
      rules: rulesOf(readFirewallParams(record.lease.params)),
    });

  return {
    contract: firewallContract,

    async snapshot(context, lease) {
      readFirewallParams(lease.params);
      refuseWhereUndoIsNotSure(context);
      const state = await pinned(context, lease);
      if (state === null || !isSame(state, lease)) throw drift(lease, 'is not the container that was pinned any more');
      if (!state.running || state.netns === null) throw drift(lease, 'is not running');
      if (lease.target.netns !== null && state.netns !== lease.target.netns) {
        throw drift(lease, 'is in another network namespace than when it was pinned');
      }
      if (state.networkMode === 'host' || (await isHostNetwork(state.netns))) {
        throw unsupported(`${lease.target.name} uses the host's network, which no fault may touch`, {
          hint: 'give it a network of its own',
        });
      }
      return within(await open(context, lease, state.netns, state.pid), async (inside) => {
        if (inside === null) throw drift(lease, 'has left its network namespace');
        const where = { inside, signal: context.signal };
        const reasons: string[] = [];
        for (const backend of backends) {
          const reason = await backend.unfit(where);
          if (reason !== null) {
            reasons.push(reason);
            continue;
          }
          return {
            netns: inside.inode,
            pid: state.pid,
            started_at: state.startedAt,
            backend: backend.name,
            tables: await backend.survey(where),
          };
        }
        throw unsupported(`no firewall can be used in the network of ${lease.target.name}: ${reasons.join('; ')}`, {
          hint: 'install nftables (or iptables) and util-linux on the host',
        });
      });
    },

    recipe: ({ fingerprint }) => ({
      backend: fingerprint['backend'] ?? null,
      netns: fingerprint['netns'] ?? null,
      pid: fingerprint['pid'] ?? null,
    }),

    async inject(context, record, { repeated }) {
      const { lease } = record;
      const rules = rulesOf(readFirewallParams(lease.params));
      const inode = netnsOf(record);
      const state = await pinned(context, lease);
      if (state === null || !isSame(state, lease) || !state.running || state.netns !== inode) {
        throw drift(lease, 'is not the container that was pinned any more');
      }
      await within(await open(context, lease, inode, state.pid), async (inside) => {
        if (inside === null) throw drift(lease, 'has left its network namespace');
        // Side by side: the rules end by themselves, and the pin is only needed once the target has left. Both are waited for.
        const pin = pinNamespace({
          folder: pinFolderOf(context, lease),
          source: namespacePathOf(state.pid),
          inode,
          signal: context.signal,
        });
        const place = backendOf(record).place({
          inside,
          signal: context.signal,
          record,
          rules,
          lifetimeMs: lease.recovery ? lease.duration_ms + lease.grace_ms + EXPIRY_MARGIN_MS : null,
          repeated,
        });
        for (const one of await Promise.allSettled([pin, place])) {
          if (one.status === 'rejected') throw one.reason;
        }
      });
    },

    async verifyInjected(context, record) {
      const { lease } = record;
      const [state, firewall] = await Promise.all([
        pinned(context, lease),
        open(context, lease, netnsOf(record), pidOf(record)).then((opened) =>
          within(opened, async (inside) => (inside === null ? null : readIn(context, record, inside))),
        ),
      ]);
      return injectedReading({ lease, inode: netnsOf(record), state, firewall });
    },

    async undo(context, record) {
      const { lease } = record;
      await within(await open(context, lease, netnsOf(record), pidOf(record)), async (inside) => {
        // Gone with all that was in it.
        if (inside === null) return;
        await backendOf(record).remove({ inside, signal: context.signal, record });
      });
      await unpinNamespace({ folder: pinFolderOf(context, lease), signal: context.signal });
    },

    async verifyUndone(context, record) {
      const { lease } = record;
      const inode = netnsOf(record);
      const stateIn = async (wanted: string, pid: number | null) =>
        within(await open(context, lease, wanted, pid), async (inside) =>
          inside === null ? null : (await readIn(context, record, inside)).state,
        );
      const [state, isPinLeft, old] = await Promise.all([
        pinned(context, lease),
        isPinned(pinFolderOf(context, lease)),
        stateIn(inode, pidOf(record)),
      ]);
      const present = state?.running === true ? state.netns : null;
      const now = state === null || present === null || present === inode ? null : await stateIn(present, state.pid);
      const read: JsonObject = {
        ...readingOf(state),
        pinned_netns: inode,
        pin: isPinLeft,
        rules_in_pinned: old ?? 'namespace gone',
        ...(present === null || present === inode ? {} : { rules_in_present: now ?? 'namespace gone' }),
      };
      const isClean = !isPinLeft && [old, now].every((found) => found === null || found === 'absent');
      return { outcome: isClean ? cleanOutcome(state, lease) : 'residue', read };
    },
  };
}

/** The firewall of this host: nft, or iptables where nft cannot be used. */
export const firewall: Mechanism = firewallBy([nftBackend(), iptablesBackend()]);

function injectedReading(options: {
  readonly lease: LeaseSpec;
  readonly inode: string;
  readonly state: ContainerState | null;
  readonly firewall: FirewallReading | null;
}): Reading<ProofOutcome> {
  const { lease, inode, state, firewall: found } = options;
  const read: JsonObject = {
    ...readingOf(state),
    pinned_netns: inode,
    rules: found?.state ?? 'namespace gone',
    ...found?.read,
  };
  // Rules that are in force in a namespace which the target has left do nothing to it.
  if (state === null || !isSame(state, lease) || !state.running || state.netns !== inode || found === null) {
    return { outcome: 'not_observed', read };
  }
  const outcomes = {
    live: 'confirmed',
    expired: 'expired',
    absent: 'not_observed',
    damaged: 'not_observed',
    altered: 'inconclusive',
  } as const;
  return { outcome: outcomes[found.state], read };
}

function cleanOutcome(state: ContainerState | null, lease: LeaseSpec): UndoneOutcome {
  if (state === null) return 'gone';
  if (!isSame(state, lease)) return 'replaced';
  return state.running ? 'restored' : 'gone';
}

function refuseWhereUndoIsNotSure(context: ActContext): void {
  if (!context.engine.local) {
    throw unsupported("the engine is not on this host: its containers' networks cannot be entered", {
      hint: "run the agent on the engine's host",
    });
  }
  if (process.getuid?.() !== 0) {
    throw unsupported("entering a container's network needs root", { hint: 'run the agent as root' });
  }
}

/**
 * The namespace with this inode: by a process that was in it (what is opened is compared), by the lease's pin, or wherever it is held;
 * null: it is gone. Whatever a record says, the host's own network is never entered.
 */
async function open(
  context: ActContext,
  lease: LeaseSpec,
  inode: string,
  pid: number | null,
): Promise<NetworkNamespace | null> {
  if (await isHostNetwork(inode)) return null;
  const pin = pinPathOf(pinFolderOf(context, lease));
  return openNetworkNamespace({ inode, paths: pid === null ? [pin] : [pin, namespacePathOf(pid)] });
}

async function within<T>(
  inside: NetworkNamespace | null,
  work: (inside: NetworkNamespace | null) => Promise<T>,
): Promise<T> {
  try {
    return await work(inside);
  } finally {
    await inside?.close();
  }
}

function pinFolderOf(context: ActContext, lease: LeaseSpec): string {
  return join(context.pins, lease.lease_id);
}

function netnsOf(record: UndoRecord): string {
  const { netns } = record.recipe;
  if (typeof netns === 'string' && /^\d+$/.test(netns)) return netns;
  throw new MayhemError('lease.unknown', `the record of ${record.lease.lease_id} names no network namespace`);
}

function pidOf(record: UndoRecord): number | null {
  const { pid } = record.recipe;
  return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 ? pid : null;
}

function pinned(context: ActContext, lease: LeaseSpec): Promise<ContainerState | null> {
  return context.engine.containers.inspect(lease.target.container_id, context);
}

function isSame(state: ContainerState, lease: LeaseSpec): boolean {
  return state.id === lease.target.container_id && state.startedAt === lease.target.started_at;
}

function readingOf(state: ContainerState | null): JsonObject {
  if (state === null) return { container: null };
  return { container: state.id, started_at: state.startedAt, running: state.running, netns: state.netns };
}

function unsupported(message: string, options: { readonly hint?: string } = {}): MayhemError {
  return new MayhemError('capability.unsupported', message, options);
}

function drift(lease: LeaseSpec, what: string): MayhemError {
  return new MayhemError('target.drift', `${lease.target.name} ${what}`, {
    hint: 'start the drill again, so that it is bound to what runs now',
    details: { pinned: lease.target.container_id, started_at: lease.target.started_at, netns: lease.target.netns },
  });
}
