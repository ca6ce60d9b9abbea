import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../src/agent/agent.js';
import { allClaims } from '../../src/agent/claims.js';
import { Journal } from '../../src/agent/journal.js';
import { connectDocker } from '../../src/engines/docker/docker-engine.js';
import { ensureEngineId } from '../../src/engines/engine-identity.js';
import type { Engine } from '../../src/engines/engine.js';
import { setBoundaryHook } from '../../src/host/boundary.js';
import { systemClock } from '../../src/host/system-clock.js';
import { firewall, firewallBy } from '../../src/mechanisms/firewall/act.js';
import { firewallContract } from '../../src/mechanisms/firewall/contract.js';
import { iptablesBackend } from '../../src/mechanisms/firewall/iptables-backend.js';
import type { Mechanism } from '../../src/mechanisms/mechanism.js';
import { mechanisms } from '../../src/mechanisms/mechanisms.js';
import type { ParamValues } from '../../src/model/fault.js';
import type { LeaseSpec } from '../../src/model/lease.js';
import { docker, until } from '../containers.js';
import { leaseOn } from './leases.js';
import {
  addressOf,
  lineFrom,
  lineFromHost,
  namespaceOf,
  rulesetOf,
  type Server,
  startServer,
  tryFromHost,
} from './network-observer.js';

const PORT = 7080;
const OTHER = 7081;
const REFUSE = { action: 'refuse', port: PORT, protocol: 'tcp', direction: 'both' } as const;

let engine: Engine;
let engineId: string;
let home: string;
/** A server elsewhere on the same network, for connections out of the target. */
let peer: Server;
let servers: Server[] = [];
const journals: Journal[] = [];
let agents: Agent[] = [];

beforeAll(async () => {
  engine = await connectDocker({ host: null });
  engineId = await ensureEngineId(engine);
  home = await mkdtemp(join(tmpdir(), 'mayhem-firewall-'));
  peer = await startServer({ ports: [PORT, OTHER] });
});
afterEach(async () => {
  setBoundaryHook(null);
  // A test that failed leaves nothing to the next.
  for (const agent of agents) await agent.undoAll({ releasedBy: 'operator' });
  agents = [];
  for (const server of servers.toReversed()) await server.remove();
  servers = [];
});
afterAll(async () => {
  await peer.remove();
  for (const journal of journals) await journal.close();
  await rm(home, { recursive: true });
});

async function target(
  options: { readonly network?: string; readonly ports?: readonly number[] } = {},
): Promise<Server> {
  const server = await startServer({ ports: [PORT, OTHER], ...options });
  servers.push(server);
  return server;
}

async function agentOn(name: string, mechanism: Mechanism = firewall): Promise<Agent> {
  const journal = await Journal.open({ file: join(home, name), nowMs: Date.now() });
  journals.push(journal);
  const agent = new Agent({
    engine,
    engineId,
    installationId: `test-${process.pid}`,
    mechanisms: { ...mechanisms, firewall: mechanism },
    journal,
    clock: systemClock,
    pins: join(home, 'pins'),
    log: () => undefined,
  });
  agents.push(agent);
  return agent;
}

function refuseOn(
  server: Server,
  options: { readonly params?: ParamValues; readonly durationMs?: number; readonly graceMs?: number } = {},
): LeaseSpec {
  const base = leaseOn(server, { engineId, ...options });
  const pinned = { ...base.target, netns: server.netns };
  const params = { ...REFUSE, ...options.params };
  return {
    ...base,
    fault: 'net.connection_refuse',
    mechanism: 'firewall',
    params,
    target: pinned,
    resources: firewallContract.resources({ target: pinned, params }),
  };
}

async function inForce(agent: Agent, lease: LeaseSpec) {
  await agent.arm(await agent.prepare(lease));
  return agent.inject(lease.lease_id);
}

/** What connections come to, from outside in and from inside out, to the port and to another one. */
async function matrix(server: Server, protocol: 'tcp' | 'udp' = 'tcp') {
  const [inward, otherIn, inside] = await Promise.all([
    tryFromHost({ protocol, host: server.address, port: PORT }),
    tryFromHost({ protocol, host: server.address, port: OTHER }),
    server.tryAll([
      { protocol, host: peer.address, port: PORT },
      { protocol, host: peer.address, port: OTHER },
      { protocol, host: '127.0.0.1', port: PORT },
      { protocol, host: server.address, port: PORT },
    ]),
  ]);
  const [outward, otherOut, loopback, toItself] = inside;
  return { inward, outward, others: [otherIn, otherOut], loopback: [loopback, toItself] };
}
const OPEN = {
  inward: 'connected',
  outward: 'connected',
  others: ['connected', 'connected'],
  loopback: ['connected', 'connected'],
};

/** Mounts and files of ours that are there now. */
async function leftovers(): Promise<readonly string[]> {
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(home));
  const files = await readdir(join(home, 'pins')).catch(() => []);
  return [...mounts, ...files];
}

async function claimsOf(lease: LeaseSpec): Promise<number> {
  return (await allClaims({ engine })).filter((claim) => claim.lease_id === lease.lease_id).length;
}

describe.each([
  ['nft', firewall],
  ['iptables', firewallBy([iptablesBackend()])],
] as const)('connections refused through the agent, by %s', (backend, mechanism) => {
  it.each([
    ['ingress', { inward: 'refused' }],
    ['egress', { outward: 'refused' }],
    ['both', { inward: 'refused', outward: 'refused' }],
  ] as const)('are those of direction %s and no others, until the undo', async (direction, refused) => {
    const server = await target();
    const agent = await agentOn(`${backend}-${direction}.jsonl`, mechanism);
    const lease = refuseOn(server, { params: { direction } });
    expect(await matrix(server)).toEqual(OPEN);

    const injected = await inForce(agent, lease);
    expect(await matrix(server)).toEqual({ ...OPEN, ...refused });
    expect(injected).toMatchObject({ outcome: 'confirmed', proof: { read: { rules: 'live' } } });

    const undone = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(undone).toMatchObject({ injection: 'confirmed', outcome: 'restored', problem: null });
    expect(await matrix(server)).toEqual(OPEN);
    expect(await leftovers()).toEqual([]);
    expect(await claimsOf(lease)).toBe(0);
  });

  it('leave connections alone that were open before', async () => {
    const server = await target();
    const agent = await agentOn(`${backend}-established.jsonl`, mechanism);
    const lines = [
      await lineFromHost({ host: server.address, port: PORT }),
      await lineFrom(server, { host: peer.address, port: PORT }),
    ];
    const lease = refuseOn(server);
    await inForce(agent, lease);
    expect(await matrix(server)).toMatchObject({ inward: 'refused', outward: 'refused' });
    expect(await Promise.all(lines.map((line) => line.say('still here')))).toEqual(['still here', 'still here']);
    await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    for (const line of lines) line.close();
  });

  it('are datagrams where the protocol is udp', async () => {
    const server = await target();
    const agent = await agentOn(`${backend}-udp.jsonl`, mechanism);
    const lease = refuseOn(server, { params: { protocol: 'udp' } });
    expect(await matrix(server, 'udp')).toEqual(OPEN);
    await inForce(agent, lease);
    expect(await matrix(server, 'udp')).toEqual({ ...OPEN, inward: 'refused', outward: 'refused' });
    expect(await matrix(server)).toEqual(OPEN);
    await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(await matrix(server, 'udp')).toEqual(OPEN);
  });

  it('are those over IPv6 too', async () => {
    const server = await target();
    const addresses = new Map([
      [server, 'fd6d:6179::2'],
      [peer, 'fd6d:6179::3'],
    ]);
    for (const [one, address] of addresses) {
      await one.run('sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=0', 'net.ipv6.conf.eth0.disable_ipv6=0');
      await one.run('ip', '-6', 'addr', 'replace', `${address}/64`, 'dev', 'eth0', 'nodad');
    }
    const outcomes = async () => [
      ...(await peer.tryAll([PORT, OTHER].map((port) => ({ host: 'fd6d:6179::2', port })))),
      ...(await server.tryAll([PORT, OTHER].map((port) => ({ host: 'fd6d:6179::3', port })))),
      ...(await server.tryAll([{ host: '::1', port: PORT }])),
    ];
    await until('IPv6 works', async () => (await outcomes()).every((word) => word === 'connected'));
    const agent = await agentOn(`${backend}-ipv6.jsonl`, mechanism);
    const lease = refuseOn(server);
    await inForce(agent, lease);
    expect(await outcomes()).toEqual(['refused', 'connected', 'refused', 'connected', 'connected']);
    await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(await outcomes()).toEqual(Array(5).fill('connected'));
  });

  it('leave all other rules of the target as they are, bit for bit', async () => {
    const server = await target();
    await server.nft('add table inet theirs { chain in { type filter hook input priority 0; tcp dport 9999 drop; }; }');
    for (const family of ['iptables', 'ip6tables']) {
      await server.run(family, '-A', 'OUTPUT', '-p', 'tcp', '--dport', '9998', '-j', 'REJECT');
      await server.run(family, '-A', 'INPUT', '-p', 'tcp', '--dport', '9998', '-j', 'DROP');
    }
    const before = await server.ruleset();
    const agent = await agentOn(`${backend}-foreign.jsonl`, mechanism);
    const lease = refuseOn(server);
    await inForce(agent, lease);
    expect(await server.ruleset()).not.toBe(before);
    expect(await server.ruleset()).toContain(tableOf(lease));
    await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(await server.ruleset()).toBe(before);
  });

  it('end by the kernel alone when nobody is left, and are then told from an early end', async () => {
    const server = await target();
    const gone = await agentOn(`${backend}-expiry.jsonl`, mechanism);
    const lease = refuseOn(server, { durationMs: 1_200, graceMs: 300 });
    const { deadline } = await inForce(gone, lease);
    const isRefused = async () => (await tryFromHost({ host: server.address, port: PORT })) === 'refused';
    const heldUntil: number[] = [];
    await until('the deadline', async () => {
      if (await isRefused()) heldUntil.push(Date.now());
      return Date.now() >= Date.parse(deadline);
    });
    expect(Date.parse(deadline) - (heldUntil.at(-1) ?? 0)).toBeLessThan(250);
    await until('connections are accepted again', async () => !(await isRefused()));
    const lateMs = Date.now() - Date.parse(deadline);
    expect(lateMs).toBeGreaterThan(lease.grace_ms);
    expect(lateMs).toBeLessThan(lease.grace_ms + 2_100);
    expect(await matrix(server)).toEqual(OPEN);

    const next = await agentOn(`${backend}-expiry.jsonl`, mechanism);
    expect(await next.undo(lease.lease_id, { releasedBy: 'agent', record: null })).toMatchObject({
      injection: 'confirmed',
      outcome: 'restored',
      released_by: 'expiry',
    });
    expect(await server.ruleset()).not.toContain('mayhem');
    expect(await leftovers()).toEqual([]);
  });

  it('are placed once however often inject is repeated, and removed however often undo is', async () => {
    const server = await target();
    const lease = refuseOn(server);
    const first = await agentOn(`${backend}-repeated.jsonl`, mechanism);
    setBoundaryHook(async (name) => {
      if (name === 'agent.after-inject') throw new Error('died between rules and report');
    });
    await expect(inForce(first, lease)).rejects.toThrow('died');
    setBoundaryHook(null);
    const once = await server.ruleset();

    const second = await agentOn(`${backend}-repeated.jsonl`, mechanism);
    expect(await second.inject(lease.lease_id)).toMatchObject({ outcome: 'confirmed' });
    expect(withoutTimes(await server.ruleset())).toBe(withoutTimes(once));
    const reports = await Promise.all([
      second.undo(lease.lease_id, { releasedBy: 'workflow', record: null }),
      second.undo(lease.lease_id, { releasedBy: 'operator', record: null }),
    ]);
    expect(reports[1]).toEqual(reports[0]);
    expect(await server.ruleset()).not.toContain('mayhem');
    expect(await leftovers()).toEqual([]);
  });
});

/** Without times, which a renewal changes, and without order, which nothing depends on. */
function withoutTimes(ruleset: string): string {
  const lines = ruleset.replace(/until=\d+|\d+-\d+-\d+ \d+:\d+:\d+|(timeout|expires) \w+/g, '').split('\n');
  return lines.toSorted().join('\n');
}

describe('the firewall and what happens to its target', () => {
  it('says ended early, replaced or gone, as it was', async () => {
    const agent = await agentOn('changed.jsonl');
    const changes: readonly [(server: Server, lease: LeaseSpec) => Promise<unknown>, string][] = [
      [(server, lease) => server.nft('delete', 'table', 'inet', tableOf(lease)), 'restored'],
      [(server, lease) => server.nft('flush', 'set', 'inet', tableOf(lease), 'live'), 'restored'],
      [(server, lease) => server.nft('flush', 'chain', 'inet', tableOf(lease), 'output'), 'restored'],
      [(server) => server.container.restart({ t: 0 }), 'replaced'],
      [(server) => server.container.kill(), 'gone'],
      [(server) => server.remove(), 'gone'],
    ];
    for (const [change, outcome] of changes) {
      const server = await target();
      const lease = refuseOn(server);
      expect(await inForce(agent, lease)).toMatchObject({ outcome: 'confirmed' });
      await change(server, lease);
      const report = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
      expect(report).toMatchObject({ injection: 'ended_early', outcome, problem: null });
      expect(await leftovers()).toEqual([]);
      const { State } = await server.container.inspect().catch(() => ({ State: { Running: false, Pid: 0 } }));
      if (State.Running) {
        const host = addressOf(await server.container.inspect());
        await until('it accepts', async () => (await tryFromHost({ host, port: PORT })) === 'connected');
      }
    }
  });

  it.each([
    ['restarts', (server: Server) => server.container.restart({ t: 0 }), 'replaced'],
    ['is removed', (server: Server) => server.remove(), 'gone'],
  ] as const)('cleans the network that a sidecar keeps alive when the target %s', async (_, change, outcome) => {
    const server = await target();
    const sidecar = await target({ network: server.id, ports: [7082] });
    const agent = await agentOn(`sidecar-${outcome}.jsonl`);
    const lease = refuseOn(server);
    await inForce(agent, lease);
    await change(server);
    expect(await sidecar.ruleset()).toContain(tableOf(lease));
    const report = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
    expect(report).toMatchObject({ injection: 'ended_early', outcome, problem: null });
    expect(await sidecar.ruleset()).not.toContain('mayhem');
    expect(await leftovers()).toEqual([]);
  });

  it("finds the network through the sidecar when the pin was lost with the agent's folder", async () => {
    const server = await target();
    const sidecar = await target({ network: server.id, ports: [7082] });
    const lease = refuseOn(server);
    const first = await agentOn('pinless.jsonl');
    await inForce(first, lease);
    await server.remove();
    await sidecar.run('umount', '--recursive', join(home, 'pins', lease.lease_id));
    await rm(join(home, 'pins'), { recursive: true });
    const second = await agentOn('pinless-after.jsonl');
    await second.sweepMarks({ releasedBy: 'agent' });
    expect(second.unacknowledged()).toMatchObject([{ lease_id: lease.lease_id, outcome: 'gone' }]);
    expect(await sidecar.ruleset()).not.toContain('mayhem');
  });

  it('cleans up after an inject that died between pin and rules', async () => {
    const server = await target();
    const [backend] = [{ ...firewall }];
    const lease = refuseOn(server);
    const dying: Mechanism = {
      ...backend,
      inject: async (context, record, options) => {
        await backend.inject(context, record, options);
        await server.nft('delete', 'table', 'inet', tableOf(lease));
        throw new Error('died before the rules');
      },
    };
    const agent = await agentOn('pin-only.jsonl', dying);
    await expect(inForce(agent, lease)).rejects.toThrow('died');
    expect(await leftovers()).not.toEqual([]);
    expect(await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null })).toMatchObject({
      injection: 'not_observed',
      outcome: 'restored',
    });
    expect(await leftovers()).toEqual([]);
  });

  it('refuses a second lease on a network that is shared, naming the holder', async () => {
    const server = await target();
    const sidecar = await target({ network: server.id, ports: [7082] });
    const agent = await agentOn('conflict.jsonl');
    const holder = refuseOn(server);
    await inForce(agent, holder);
    await expect(agent.prepare(refuseOn(sidecar))).rejects.toMatchObject({
      code: 'lease.conflict',
      details: { holder_lease_id: holder.lease_id },
    });
    await agent.undo(holder.lease_id, { releasedBy: 'workflow', record: null });
  });

  it("never enters the host's network", async () => {
    const container = await docker.createContainer({
      Image: 'debian:bookworm-slim',
      Cmd: ['sleep', '3600'],
      Labels: { 'mayhem.test': '1' },
      HostConfig: { NetworkMode: 'host' },
    });
    await container.start();
    const before = await rulesetOf(process.pid);
    try {
      const info = await container.inspect();
      const server = await target();
      const onHost = {
        ...server,
        id: info.Id,
        startedAt: info.State.StartedAt,
        netns: await namespaceOf(info.State.Pid),
      };
      const agent = await agentOn('host.jsonl');
      await expect(agent.prepare(refuseOn(onHost))).rejects.toMatchObject({ code: 'capability.unsupported' });

      // Not even for a record that names it.
      const record = await agent.prepare(refuseOn(server));
      const forged = { ...record, recipe: { ...record.recipe, netns: onHost.netns } };
      const context = { engine, pins: join(home, 'pins'), signal: AbortSignal.timeout(10_000) };
      await expect(firewall.inject(context, forged, { repeated: false })).rejects.toMatchObject({
        code: 'target.drift',
      });
      await firewall.undo(context, forged);
      await agent.undo(record.lease.lease_id, { releasedBy: 'operator', record: null });
      expect(await rulesetOf(process.pid)).toBe(before);
    } finally {
      await container.remove({ force: true });
    }
  });

  it('keeps rules in force past every deadline where recovery was declined, until an undo is asked for', async () => {
    const server = await target();
    const agent = await agentOn('kept.jsonl');
    const lease = { ...refuseOn(server, { durationMs: 100, graceMs: 0 }), recovery: false };
    await inForce(agent, lease);
    await agent.keep(lease.lease_id);
    expect(await server.nft('list', 'ruleset')).not.toMatch(/expires|timeout \d/);
    expect(await matrix(server)).toMatchObject({ inward: 'refused' });
    expect(await agent.undo(lease.lease_id, { releasedBy: 'operator', record: null })).toMatchObject({
      outcome: 'restored',
    });
    expect(await matrix(server)).toEqual(OPEN);
  });

  it('can reset open connections at their next packet, and drop without an answer', async () => {
    const server = await target();
    const agent = await agentOn('actions.jsonl');
    const lines = [
      await lineFromHost({ host: server.address, port: PORT }),
      await lineFrom(server, { host: peer.address, port: PORT }),
    ];
    const reset = refuseOn(server, { params: { action: 'reset' } });
    await inForce(agent, reset);
    expect((await Promise.all(lines.map((line) => line.say('hello')))).map((word) => /reset/i.test(word))).toEqual([
      true,
      true,
    ]);
    expect(await matrix(server)).toEqual({ ...OPEN, inward: 'refused', outward: 'refused' });
    await agent.undo(reset.lease_id, { releasedBy: 'workflow', record: null });
    for (const line of lines) line.close();

    const drop = refuseOn(server, { params: { action: 'drop', direction: 'ingress' } });
    await inForce(agent, drop);
    expect(await tryFromHost({ host: server.address, port: PORT })).toBe('no answer');
    expect(await server.tryAll([{ host: peer.address, port: PORT }])).toEqual(['connected']);
    await agent.undo(drop.lease_id, { releasedBy: 'workflow', record: null });
    expect(await matrix(server)).toEqual(OPEN);
  });

  it('is injected and undone within the budget of a fault', async () => {
    const server = await target();
    const agent = await agentOn('timed.jsonl');
    const costs: number[] = [];
    for (let round = 0; round < 9; round++) {
      const lease = refuseOn(server);
      await agent.arm(await agent.prepare(lease));
      const { inject_ms } = await agent.inject(lease.lease_id);
      const { undo_ms } = await agent.undo(lease.lease_id, { releasedBy: 'workflow', record: null });
      costs.push(inject_ms + undo_ms);
    }
    const median = costs.toSorted((a, b) => a - b)[4] as number;
    console.log(`firewall: inject + undo in ms: ${costs.join(', ')}; median ${median}`);
    expect(median).toBeLessThan(1_000);
  });
});

/** The name the table must have, by the convention users are told. */
function tableOf(lease: LeaseSpec): string {
  return `mayhem_${lease.lease_id.slice('l-'.length)}`;
}
