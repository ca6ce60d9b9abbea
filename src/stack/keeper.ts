import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode } from '../model/exit-code.js';
import { HUNG_AFTER_MS, lastBeatMs } from './beat.js';
import type { Component, ComponentName } from './component.js';
import type { Home } from './home.js';
import { adoptLife, beginLife, type Ending, type Life } from './life.js';
import { openLog } from './log-file.js';
import type { ComponentNote, Problem } from './notes.js';
import { livingProcess, writePidFile } from './pid-file.js';
import { endingProblem, isServedElsewhere, problemOf } from './problem.js';
import { type ProcessIdentity, signalProcess } from '../host/process-identity.js';
import { findStray, PART_VARIABLE, partOf } from './stray.js';

/** Pauses before the next start, by how many short lives came before. Postgres needs some after a kill -9 (see its shared memory). */
const RETRY_MS = [0, 100, 200, 200, 400, 800, 1500] as const;
/** So many short lives in a row are more than bad luck: the component is shown as waiting. */
const MANY_SHORT_LIVES = 5;
const LONG_LIFE_MS = 10_000;
/** How long a start may take until the first beat. */
const FIRST_BEAT_MS = 30_000;

/** How long a start may take before we ask what is in its way, and how often then. */
const OBSTACLE_MS = 700;

export interface KeeperEvent {
  readonly event: string;
  readonly component: ComponentName;
  readonly [field: string]: unknown;
}

/** Keeps one component running: adopts it or starts it, sees it end or hang, and starts it again. */
export class Keeper {
  readonly #component: Component;
  readonly #home: Home;
  readonly #log: (event: KeeperEvent) => void;
  readonly #changed: () => void;
  #life: Life | null = null;
  #obstructed = false;
  #note: ComponentNote = { state: 'starting', restarts: 0, problem: null };

  constructor(options: {
    readonly component: Component;
    readonly home: Home;
    readonly log: (event: KeeperEvent) => void;
    /** Called whenever `note` has changed. */
    readonly changed: () => void;
  }) {
    this.#component = options.component;
    this.#home = options.home;
    this.#log = options.log;
    this.#changed = options.changed;
  }

  get name(): ComponentName {
    return this.#component.name;
  }

  get note(): ComponentNote {
    return this.#note;
  }

  /** Runs until the process ends. `needed` are the keepers of what this one waits for by itself at its start. */
  async keep(needed: readonly Keeper[]): Promise<never> {
    let shortLives = 0;
    let life = this.#adopt();
    for (;;) {
      if (life === null) {
        await sleep(RETRY_MS[Math.min(shortLives, RETRY_MS.length - 1)] ?? 0);
        life = await this.#start();
        if (life === null) {
          shortLives++;
          continue;
        }
      }
      const bornMs = performance.now();
      this.#life = life;
      const ending = await this.#watch(life, needed);
      this.#life = null;
      shortLives = performance.now() - bornMs > LONG_LIFE_MS ? 0 : shortLives + 1;
      this.#ended(ending, shortLives);
      if (this.#note.state === 'waiting') await sleep(500);
      life = null;
    }
  }

  #adopt(): Life | null {
    const file = livingProcess(this.#home, this.name);
    const identity = file ?? findStray(this.#home, this.name);
    if (identity === null) return null;
    if (file === null) this.#writePidFile({ identity, startedAt: new Date().toISOString(), version: null });
    this.#log({ event: 'component.adopted', component: this.name, pid: identity.pid });
    return adoptLife(identity);
  }

  async #start(): Promise<Life | null> {
    try {
      await this.#component.prepare();
      const launch = await this.#component.launch();
      const startedAt = new Date().toISOString();
      const env = { ...launch.env, [PART_VARIABLE]: partOf(this.#home, this.name) };
      const life = await beginLife({ launch: { ...launch, env }, log: openLog(this.#home, this.name) });
      this.#writePidFile({ identity: life.identity, startedAt, version: null });
      this.#log({ event: 'component.started', component: this.name, pid: life.identity.pid });
      return life;
    } catch (error) {
      this.#set({ state: 'waiting', problem: problemOf(error) });
      this.#log({ event: 'component.failed', component: this.name, error: String(error) });
      await sleep(500);
      return null;
    }
  }

  /** Ends the component by force: for a home that was deleted under a running stack, so that nothing of it stays. */
  kill(): void {
    if (this.#life !== null) signalProcess(this.#life.identity, 'SIGKILL');
  }

  /** Until the life ends: notices when the component is ready, and when its beat has stopped. */
  async #watch(life: Life, needed: readonly Keeper[]): Promise<Ending> {
    let ending: Ending | null = null;
    const ended = life.ended.then((how) => {
      ending = how;
    });
    const file = livingProcess(this.#home, this.name);
    const startedAtMs = file === null ? Date.now() : Date.parse(file.started_at);
    let ready = false;
    let beat: number | null = null;
    let quietSinceMs = performance.now();
    let lookedAtMs = performance.now();
    let nextObstacleMs = performance.now() + OBSTACLE_MS;
    while (ending === null) {
      if (!ready && performance.now() > nextObstacleMs) {
        await this.#lookForObstacle();
        nextObstacleMs = performance.now() + OBSTACLE_MS;
      }
      if (!ready && (await this.#component.answers(startedAtMs))) {
        ready = await this.#becomeReady();
        if (ready && file !== null) this.#writeVersion(life, file.started_at).catch(() => {});
      }
      const nowMs = performance.now();
      const newBeat = this.#component.beatFile === null ? null : lastBeatMs(this.#component.beatFile);
      // When we were away ourselves (a suspended machine, a busy one), so was everyone: silence counts from now.
      const waits = !ready && needed.some((keeper) => keeper.note.state !== 'running');
      if (newBeat !== beat || waits || nowMs - lookedAtMs > 2000) quietSinceMs = nowMs;
      beat = newBeat;
      lookedAtMs = nowMs;
      const quietMs = nowMs - quietSinceMs;
      if (this.#component.beatFile !== null && quietMs > (ready ? HUNG_AFTER_MS : FIRST_BEAT_MS)) {
        this.#log({ event: 'component.hung', component: this.name, pid: life.identity.pid, quiet_ms: quietMs });
        signalProcess(life.identity, 'SIGKILL');
      }
      await Promise.race([ended, sleep(ready ? 250 : 30)]);
    }
    return ending;
  }

  async #lookForObstacle(): Promise<void> {
    const problem = await this.#component.obstacle();
    const { state } = this.#note;
    if (problem !== null) this.#set({ state: 'waiting', problem });
    else if (state === 'waiting' && this.#obstructed) this.#set({ state: 'starting', problem: null });
    this.#obstructed = problem !== null;
  }

  async #becomeReady(): Promise<boolean> {
    try {
      await this.#component.afterReady();
      this.#set({ state: 'running', problem: null });
      this.#log({ event: 'component.ready', component: this.name });
      return true;
    } catch (error) {
      this.#set({ state: 'waiting', problem: problemOf(error) });
      await sleep(500);
      return false;
    }
  }

  async #writeVersion(life: Life, startedAt: string): Promise<void> {
    const version = await this.#component.version();
    if (livingProcess(this.#home, this.name)?.pid !== life.identity.pid) return;
    this.#writePidFile({ identity: life.identity, startedAt, version });
  }

  #writePidFile(options: {
    readonly identity: ProcessIdentity;
    readonly startedAt: string;
    readonly version: string | null;
  }): void {
    const { pid, start_ticks, boot_id } = options.identity;
    const { address, name } = this.#component;
    const { startedAt: started_at, version } = options;
    writePidFile(this.#home, { pid, start_ticks, boot_id, name, address, started_at, version });
  }

  #ended(ending: Ending, shortLives: number): void {
    this.#log({ event: 'component.ended', component: this.name, ...ending });
    const problem: Problem = endingProblem({ home: this.#home, name: this.name, ending });
    const outside = ending.code === ExitCode.TOOLKIT_ERROR || isServedElsewhere(problem);
    const waiting = outside || shortLives >= MANY_SHORT_LIVES;
    this.#set({ state: waiting ? 'waiting' : 'starting', problem, restarts: this.#note.restarts + 1 });
  }

  #set(change: Partial<ComponentNote>): void {
    this.#note = { ...this.#note, ...change };
    this.#changed();
  }
}
