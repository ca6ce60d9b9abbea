import type { ContainerState } from '../../engines/engine.js';
import { readBootId } from '../../engines/host/boot.js';
import { isProcessOf } from '../../engines/host/container-process.js';
import {
  isHostNetwork,
  namespacePathOf,
  type NetworkNamespace,
  openNetworkNamespace,
} from '../../engines/host/network-namespace.js';
import { isPinned, pinNamespace, unpinNamespace } from '../../engines/host/pin.js';
import { MayhemError } from '../../model/error.js';
import type { LeaseSpec, UndoRecord } from '../../model/lease.js';
import type { ActContext, Mechanism } from '../mechanism.js';
import type { FirewallBackend, FirewallReading } from './backend.js';
import { firewallContract } from './contract.js';
import { iptablesBackend } from './iptables-backend.js';
import { nftBackend } from './nft-backend.js';
import { readFirewallParams } from './params.js';
import { isSame, proveInjected, proveUndone } from './proof.js';
import { rulesOf } from './rules.js';
import { netnsOf, openPresent, openTarget, pinFolderOf, within } from './target-network.js';

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
      requireHands(context);
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
      if (!(await isProcessOf({ pid: state.pid, containerId: state.id }))) {
        throw unsupported(`the processes of ${lease.target.name} are not on this host`, {
          hint: "run the agent on the engine's host",
        });
      }
      return within(
        await openNetworkNamespace({ inode: state.netns, paths: [namespacePathOf(state.pid)] }),
        async (inside) => {
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
              boot_id: await readBootId(),
              pid: state.pid,
              started_at: state.startedAt,
              backend: backend.name,
              tables: await backend.survey(where),
            };
          }
          throw unsupported(`no firewall can be used in the network of ${lease.target.name}: ${reasons.join('; ')}`, {
            hint: 'install nftables (or iptables) and util-linux on the host',
          });
        },
      );
    },

    recipe: ({ fingerprint }) => ({
      backend: fingerprint['backend'] ?? null,
      netns: fingerprint['netns'] ?? null,
      boot_id: fingerprint['boot_id'] ?? null,
      pid: fingerprint['pid'] ?? null,
    }),

    async inject(context, record, { repeated }) {
      requireHands(context);
      const { lease } = record;
      const rules = rulesOf(readFirewallParams(lease.params));
      const inode = netnsOf(record);
      const state = await pinned(context, lease);
      if (state === null || !isSame(state, lease) || !state.running || state.netns !== inode) {
        throw drift(lease, 'is not the container that was pinned any more');
      }
      await within(await openTarget(context, record), async (inside) => {
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
          lifetimeMs: lease.recovery ? Math.ceil(lease.duration_ms + lease.grace_ms + EXPIRY_MARGIN_MS) : null,
          repeated,
        });
        for (const one of await Promise.allSettled([pin, place])) {
          if (one.status === 'rejected') throw one.reason;
        }
      });
    },

    async verifyInjected(context, record) {
      requireHands(context);
      const { lease } = record;
      const [state, firewall] = await Promise.all([
        pinned(context, lease),
        openTarget(context, record).then((opened) =>
          within(opened, async (inside) => (inside === null ? null : readIn(context, record, inside))),
        ),
      ]);
      return proveInjected({ lease, inode: netnsOf(record), state, firewall });
    },

    async undo(context, record) {
      requireHands(context);
      const { lease } = record;
      await within(await openTarget(context, record), async (inside) => {
        // Gone with all that was in it.
        if (inside === null) return;
        await backendOf(record).remove({ inside, signal: context.signal, record });
      });
      await unpinNamespace({ folder: pinFolderOf(context, lease), signal: context.signal });
    },

    async verifyUndone(context, record) {
      requireHands(context);
      const { lease } = record;
      const inode = netnsOf(record);
      const stateIn = async (found: Promise<NetworkNamespace | null>) =>
        within(await found, async (inside) => (inside === null ? null : (await readIn(context, record, inside)).state));
      const [state, isPinLeft, inPinned] = await Promise.all([
        pinned(context, lease),
        isPinned(pinFolderOf(context, lease)),
        stateIn(openTarget(context, record)),
      ]);
      const present = state?.running === true && state.netns !== inode ? state.netns : null;
      const inPresent = state === null || present === null ? null : await stateIn(openPresent(present, state.pid));
      return proveUndone({ lease, inode, state, isPinLeft, inPinned, inPresent });
    },
  };
}

/** The firewall of this host: nft, or iptables where nft cannot be used. */
export const firewall: Mechanism = firewallBy([nftBackend(), iptablesBackend()]);

/** Without them nothing can be done, nor be known: an undo that cannot look must not say that all is well. */
function requireHands(context: ActContext): void {
  if (!context.engine.local) {
    throw unsupported("the engine is not on this host: its containers' networks cannot be entered", {
      hint: "run the agent on the engine's host",
    });
  }
  if (process.getuid?.() !== 0) {
    throw unsupported("entering a container's network needs root", { hint: 'run the agent as root' });
  }
}

function pinned(context: ActContext, lease: LeaseSpec): Promise<ContainerState | null> {
  return context.engine.containers.inspect(lease.target.container_id, context);
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
