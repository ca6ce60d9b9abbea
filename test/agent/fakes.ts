import type { ContainerState, Engine, Mark } from '../../src/engines/engine.js';
import { MayhemError } from '../../src/model/error.js';
import type { Clock } from '../../src/model/clock.js';

/** A clock that moves when told to. */
export function fakeClock() {
  let ms = 1_000_000;
  let boot = 'boot-1';
  return {
    wallMs: () => 1_700_000_000_000 + ms,
    bootMs: () => ms,
    bootId: () => boot,
    advance: (byMs: number) => {
      ms += byMs;
    },
    reboot: () => {
      boot = 'boot-2';
      ms = 5_000;
    },
  } satisfies Clock & { advance(byMs: number): void; reboot(): void };
}

/** One container and its marks in memory; `down` makes every call fail as an engine does that is not there. */
export function fakeEngine() {
  const marks = new Map<string, Mark>();
  const calls: string[] = [];
  const state = {
    paused: false,
    running: true,
    startedAt: '2026-01-01T00:00:00.000000001Z',
    down: false,
    ignorePause: false,
    ignoreUnpause: false,
  };
  const up = () => {
    if (state.down) throw new MayhemError('engine.unreachable', 'the engine is down');
  };
  const container = (): ContainerState => ({
    id: 'c1',
    name: 'target',
    image: 'x',
    labels: {},
    startedAt: state.startedAt,
    running: state.running,
    paused: state.paused,
    health: 'none',
    pid: 0,
    netns: null,
    restartCount: 0,
    autoRemove: false,
    networkMode: 'default',
    networks: {},
    ports: [],
  });
  const engine: Engine = {
    kind: 'docker',
    local: false,
    containers: {
      inspect: async () => {
        up();
        return container();
      },
      list: async () => [container()],
    },
    pausing: {
      pause: async () => {
        up();
        calls.push('pause');
        if (!state.ignorePause) state.paused = true;
        return true;
      },
      unpause: async () => {
        up();
        calls.push('unpause');
        if (!state.ignoreUnpause) state.paused = false;
        return true;
      },
    },
    marks: {
      place: async (mark) => {
        up();
        if (!marks.has(mark.name)) marks.set(mark.name, mark);
        return marks.get(mark.name) as Mark;
      },
      read: async (name) => {
        up();
        return marks.get(name) ?? null;
      },
      list: async (label) => [...marks.values()].filter((mark) => Object.hasOwn(mark.labels, label)),
      remove: async (name) => {
        up();
        marks.delete(name);
      },
    },
    version: async () => 'fake',
  };
  return { engine, state, calls, marks };
}
