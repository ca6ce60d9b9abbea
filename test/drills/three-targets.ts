import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuUsedNs, groupFolders } from '../agent/cpu-observer.js';
import { addressOf, tryFromHost } from '../agent/network-observer.js';
import { docker, until } from '../containers.js';
import { lives, run, runJson, type Started, start } from './mayhem.js';
import { openStage, type Stage } from './stage.js';

const LOOK_EVERY_MS = 20;
/** What each fault does to its target, as it looks from outside. */
const EFFECTS = ['paused', 'refused', 'burning'] as const;
export type Effect = (typeof EFFECTS)[number];
export type Effects = Readonly<Record<Effect, boolean>>;
export const NONE: Effects = { paused: false, refused: false, burning: false };
export const ALL: Effects = { paused: true, refused: true, burning: true };

/** An effect that came or went, and when it was seen to (milliseconds since the epoch). */
export interface Change {
  readonly effect: Effect;
  readonly inForce: boolean;
  readonly atMs: number;
}

/**
 * A stage with a target for each of three faults: `api` to be paused, `web` whose port 8080 is to refuse, and `mill`, under a quota of half
 * a CPU, to be saturated. What is in force is read from docker, from connections, and from the kernel's control groups only.
 */
export interface ThreeTargets extends Stage {
  readonly millId: string;
  look(): Promise<Effects>;
  /** What a connection to web's port comes to: connected, refused, or some other word. */
  knock(): Promise<string>;
  /** Nanoseconds of CPU time that the mill has used so far. */
  millUsedNs(): number;
  /** Marks, pins and mounts of this stage that are there now. */
  leftovers(): Promise<readonly string[]>;
}

export async function openThreeTargets(): Promise<ThreeTargets> {
  const stage = await openStage();
  const mill = await docker.createContainer({
    Image: 'debian:bookworm-slim',
    Cmd: ['sleep', '3600'],
    name: `${stage.project}-mill-1`,
    Labels: {
      'mayhem.test': '1',
      'com.docker.compose.project': stage.project,
      'com.docker.compose.service': 'mill',
      'com.docker.compose.container-number': '1',
      'com.docker.compose.oneoff': 'False',
    },
    StopTimeout: 0,
    HostConfig: { CpuQuota: 50_000, CpuPeriod: 100_000 },
  });
  await mill.start();
  await stage.write(
    'docker-compose.yml',
    `name: ${stage.project}\nservices:\n  web: {image: debian, ports: ["127.0.0.1:${stage.port}:8080"]}\n  api: {image: debian}\n  mill: {image: debian}\n`,
  );
  await stage.write(
    'mayhem.yaml',
    'apiVersion: mayhem/v1\nblast_radius: {max_services_pct: 100, max_concurrent_faults: 3}\n',
  );
  const host = addressOf(await docker.getContainer(stage.webId).inspect());
  const home = stage.env['MAYHEM_HOME'] as string;
  const processFile = processFileOf(mill.id);
  const own = processesIn(processFile);
  const knock = () => tryFromHost({ host, port: 8080 });
  const leftovers = async () => {
    const { Volumes } = await docker.listVolumes({ filters: JSON.stringify({ label: ['mayhem.lease'] }) });
    const ids = [stage.api.id, stage.webId, mill.id];
    const marks = Volumes.filter(({ Labels }) => ids.some((id) => Labels['mayhem.record']?.includes(id)));
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(home));
    const pins = await readdir(join(home, 'pins')).catch(() => []);
    return [...marks.map(({ Name }) => `mark ${Name}`), ...mounts, ...pins.map((pin) => `pin ${pin}`)];
  };
  return {
    ...stage,
    millId: mill.id,
    knock,
    look: async () => {
      const [paused, word] = await Promise.all([stage.api.isPaused(), knock()]);
      return {
        paused,
        refused: word !== 'connected',
        burning: processesIn(processFile).some((pid) => !own.includes(pid)),
      };
    },
    millUsedNs: () => cpuUsedNs(mill.id),
    leftovers,
    close: async () => {
      // What a failed test left in force; its pin would keep the home from being removed.
      if ((await leftovers()).length > 0) await run(['rescue'], stage);
      try {
        await stage.close();
      } finally {
        await mill.remove({ force: true });
      }
    },
  };
}

/** The drill of all three faults at once, `holdS` seconds long; afterwards web must answer. */
export function threeFaults(stage: Pick<Stage, 'port'>, options: { readonly holdS: number }): string {
  const duration = `${options.holdS}s`;
  return `apiVersion: mayhem/v1
kind: drill
name: three faults
hypothesis: web answers once all is over
config: {max_faults: 3}
containers:
  api: {faults: [{fault: container.pause, duration: ${duration}}]}
  web: {faults: [{fault: net.connection_refuse, duration: ${duration}, params: {port: 8080}}]}
  mill: {faults: [{fault: cpu.saturate, duration: ${duration}, params: {percent: 60}}]}
execution:
  - parallel: [api, web, mill]
  - check: [{id: web-after, http: "http://127.0.0.1:${stage.port}/", expect: {status: 200}}]
success:
  criteria: [{type: status, source_id: web-after.status, expected: 200}]
`;
}

/** Looks at the targets all the time until it is stopped, and keeps what changes. */
export function watch(stage: ThreeTargets) {
  const changes: Change[] = [];
  let now = NONE;
  let stopped = false;
  const done = (async () => {
    for (let last = false; !last; ) {
      // Once more after it was stopped: whoever stops it has seen what it may not have.
      last = stopped;
      const seen = await stage.look();
      const atMs = Date.now();
      for (const effect of EFFECTS) {
        if (seen[effect] !== now[effect]) changes.push({ effect, inForce: seen[effect], atMs });
      }
      now = seen;
      await delay(LOOK_EVERY_MS);
    }
  })();
  // Told by whoever stops it.
  done.catch(() => undefined);
  const changed = (effect: Effect, inForce: boolean) =>
    changes.find((change) => change.effect === effect && change.inForce === inForce)?.atMs ?? null;
  return {
    changes: (effect: Effect): readonly boolean[] =>
      changes.filter((change) => change.effect === effect).map(({ inForce }) => inForce),
    began: (effect: Effect) => changed(effect, true),
    ended: (effect: Effect) => changed(effect, false),
    /** How long an effect was in force, in milliseconds; fails when it did not come and go exactly once. */
    lastedMs: (effect: Effect): number => {
      const of = changes.filter((change) => change.effect === effect);
      const [on, off] = of;
      if (of.length !== 2 || on?.inForce !== true || off === undefined) {
        throw new Error(`${effect} did not come and go once: ${JSON.stringify(of)}`);
      }
      return off.atMs - on.atMs;
    },
    stop: async () => {
      stopped = true;
      await done;
    },
  };
}

/** Starts the drill and waits until all three faults are in force and recorded. */
export async function startThree(stage: ThreeTargets): Promise<{ readonly drill: Started; readonly runId: string }> {
  const drill = start(['run', 'drill.yaml', '--json'], stage);
  await untilSeen(stage, ALL, 30_000);
  const { envelope } = await runJson(['inspect', 'runs'], stage);
  const runId = envelope.data.runs[0].run_id as string;
  await until('the injections are recorded', async () => {
    const { stdout } = await run(['inspect', 'history', runId], stage);
    return stdout.split('fault.injected').length === 4;
  });
  return { drill, runId };
}

/** Waits until what is in force is what is wanted. */
export async function untilSeen(stage: ThreeTargets, wanted: Effects, withinMs: number): Promise<void> {
  const isSeen = async () => {
    const seen = await stage.look();
    return EFFECTS.every((effect) => seen[effect] === wanted[effect]);
  };
  await until(`what is in force is ${JSON.stringify(wanted)}`, isSeen, withinMs);
}

/** Waits until marks, pins and mounts are gone: the claim on a target is given back just after its fault is over. */
export async function untilClean(stage: ThreeTargets): Promise<void> {
  await until('nothing of ours is left', async () => (await stage.leftovers()).length === 0, 2_000);
}

/** Kills the command line and the components that are named, or all of them, and waits for their death. */
export async function killAll(
  stage: ThreeTargets,
  options: { readonly drill: Started; readonly but?: readonly string[] },
): Promise<void> {
  const components = Object.entries(await stage.pids());
  const spared = options.but ?? [];
  const pids = components.filter(([name]) => !spared.includes(name)).map(([, pid]) => pid);
  for (const pid of [...pids, options.drill.pid]) process.kill(pid, 'SIGKILL');
  await until('all are dead', () => pids.every((pid) => !lives(pid)));
}

export async function deleteJournal(stage: Stage): Promise<void> {
  const home = stage.env['MAYHEM_HOME'] as string;
  for (const name of await readdir(home)) if (name.startsWith('journal-')) await rm(join(home, name));
}

export async function deleteDatabase(stage: Stage): Promise<void> {
  await rm(join(stage.env['MAYHEM_HOME'] as string, 'postgres'), { recursive: true });
}

/** Removes the marks that are on this stage's containers. */
export async function deleteMarks(stage: ThreeTargets): Promise<void> {
  for (const left of await stage.leftovers()) {
    if (left.startsWith('mark ')) await docker.getVolume(left.slice('mark '.length)).remove();
  }
}

/** A file of pids: those in the container's control group that accounts CPU time. */
function processFileOf(containerId: string): string {
  const folder = groupFolders(containerId).find((path) =>
    readdirSync(path).some((name) => name === 'cpuacct.usage' || name === 'cpu.stat'),
  );
  if (folder === undefined) throw new Error(`no control group of ${containerId}`);
  return join(folder, 'cgroup.procs');
}

function processesIn(file: string): readonly string[] {
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((pid) => pid !== '')
    : [];
}
