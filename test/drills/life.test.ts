import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { docker, pauseEvents, until } from '../containers.js';
import { run, runJson, start } from './mayhem.js';
import { openStage, type Stage } from './stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  // Two services at once are more than half of this stack.
  await stage.write('mayhem.yaml', 'apiVersion: mayhem/v1\nblast_radius: {max_services_pct: 100}\n');
  await stage.up();
}, 90_000);
afterAll(() => stage?.close(), 60_000);

function drill(rest: string): string {
  return `apiVersion: mayhem/v1\nkind: drill\nname: life\nhypothesis: it goes as planned\n${rest}`;
}

function watchWeb(min = 90): string {
  return `steady_state:
  - {id: web, probe: {type: http, url: "http://127.0.0.1:${stage.port}/", timeout: 500ms}, cadence: 200ms, window: 1s, expect: {status: 200}, min_ok_pct: ${min}}
`;
}

async function pausesOf(ids: readonly string[], sinceMs: number) {
  return Promise.all(ids.map((id) => pauseEvents({ id, sinceMs })));
}

describe('the life of a run', () => {
  it('fails by its criteria when the steady state breaks during the fault: exit 6', async () => {
    await stage.write(
      'a.yaml',
      drill(`containers: {web: {faults: [{fault: container.pause, duration: 3s}]}}\n${watchWeb()}`),
    );
    const { code, envelope } = await runJson(['run', 'a.yaml'], stage);
    expect(envelope.data).toMatchObject({
      status: 'completed',
      verdict: 'fail',
      criteria: [{ type: 'boolean', source: 'web.passed', passed: false }],
      faults: [{ injection: 'confirmed', undo: 'restored' }],
    });
    expect(code).toBe(6);
  });

  it('injects nothing when the steady state does not hold before, unless told to ignore that', async () => {
    await stage.write(
      'b.yaml',
      drill(`containers: {api: {faults: [{fault: container.pause, duration: 1s}]}}
steady_state: [{id: nobody, probe: {type: tcp, host: 127.0.0.1, port: 1, timeout: 1s}, cadence: 200ms, window: 1s, expect: {reachable: true}}]\n`),
    );
    const sinceMs = Date.now();
    const refused = await runJson(['run', 'b.yaml'], stage);
    expect(refused.envelope.data).toMatchObject({
      verdict: 'undecided',
      faults: [{ injection: 'not_started', undo: 'none' }],
    });
    expect(refused.envelope.data.reasons.map((reason: { code: string }) => reason.code)).toContain('baseline_broken');
    expect(refused.code).toBe(6);
    expect(await pausesOf([stage.api.id], sinceMs)).toEqual([[]]);
    const ignored = await runJson(['run', 'b.yaml', '--ignore-baseline'], stage);
    expect(ignored.envelope.data).toMatchObject({ faults: [{ injection: 'confirmed', undo: 'restored' }] });
  });

  it('is aborted and undone when its timeout is over', async () => {
    await stage.write(
      'c.yaml',
      drill('config: {timeout: 3s}\ncontainers: {api: {faults: [{fault: container.pause, duration: 60s}]}}\n'),
    );
    const { code, envelope } = await runJson(['run', 'c.yaml'], stage);
    expect(envelope.data).toMatchObject({ status: 'aborted', verdict: 'undecided', faults: [{ undo: 'restored' }] });
    expect(envelope.data.wall_s).toBeLessThan(6);
    expect(await stage.api.isPaused()).toBe(false);
    expect(code).toBe(6);
  });

  it('ends failed at a failed check, and nothing after it starts', async () => {
    await stage.write(
      'd.yaml',
      drill(`containers: {api: {faults: [{fault: container.pause, duration: 1s}]}}
execution:
  - check: [{id: nobody, tcp: {host: 127.0.0.1, port: 1}}]
  - sequential: [api]\n`),
    );
    const sinceMs = Date.now();
    const { code, envelope } = await runJson(['run', 'd.yaml'], stage);
    expect(envelope.data).toMatchObject({ status: 'failed', faults: [{ injection: 'not_started' }] });
    expect(code).toBe(6);
    expect(await pausesOf([stage.api.id], sinceMs)).toEqual([[]]);
  });

  it('holds two targets at once when max_faults allows it, and one after the other when it does not', async () => {
    const overlap = async (maxFaults: number) => {
      await stage.write(
        'e.yaml',
        drill(`config: {max_faults: ${maxFaults}}
containers:
  api: {faults: [{fault: container.pause, duration: 2s}]}
  web: {faults: [{fault: container.pause, duration: 2s}]}
execution: [{parallel: [api, web]}]\n`),
      );
      const running = start(['run', 'e.yaml', '--json'], stage);
      let most = 0;
      let ended = false;
      void running.finished.then(() => (ended = true));
      await until(
        'the run ends',
        async () => {
          const states = await Promise.all([stage.api.id, stage.webId].map((id) => docker.getContainer(id).inspect()));
          most = Math.max(most, states.filter((state) => state.State.Paused).length);
          return ended;
        },
        30_000,
      );
      const { stdout } = await running.finished;
      expect(JSON.parse(stdout).data.faults).toMatchObject([{ undo: 'restored' }, { undo: 'restored' }]);
      return most;
    };
    expect(await overlap(2)).toBe(2);
    expect(await overlap(1)).toBe(1);
  });

  it('can be stopped before it injects anything', async () => {
    await stage.write(
      'f.yaml',
      drill(
        `containers: {api: {faults: [{fault: container.pause, duration: 5s}]}}\n${watchWeb().replace('window: 1s', 'window: 20s')}`,
      ),
    );
    const sinceMs = Date.now();
    const running = start(['run', 'f.yaml', '--json'], stage);
    let runId = '';
    await until(
      'the run runs',
      async () => {
        const { envelope } = await runJson(['inspect', 'runs'], stage);
        const [newest] = envelope.data.runs;
        runId = newest?.run_id ?? '';
        return newest?.status === 'running';
      },
      20_000,
    );
    expect((await run(['stop', runId], stage)).code).toBe(0);
    expect(JSON.parse((await running.finished).stdout).data).toMatchObject({
      status: 'aborted',
      faults: [{ injection: 'not_started', undo: 'none' }],
    });
    expect(await pausesOf([stage.api.id], sinceMs)).toEqual([[]]);
  });

  it('is refused while starts are stopped, and allowed again once that is lifted', async () => {
    expect((await run(['stop', '--all'], stage)).code).toBe(0);
    const refused = await runJson(['run', 'e.yaml'], stage);
    expect(refused.code).toBe(5);
    expect(refused.envelope.errors[0]).toMatchObject({ code: 'starts.stopped' });
    expect((await run(['stop', '--lift'], stage)).code).toBe(0);
  });

  it('is refused on a target that is not there, naming it, and on one that is protected', async () => {
    await stage.write('g.yaml', drill('containers: {ghost: {faults: [{fault: container.pause}]}}\n'));
    await stage.write('ghost.yml', `name: ${stage.project}\nservices: {ghost: {image: x}, other: {image: x}}\n`);
    const missing = await runJson(['run', 'g.yaml', '-c', 'ghost.yml'], stage);
    expect(missing.code).toBe(4);
    expect(missing.envelope.errors[0]).toMatchObject({ code: 'target.missing' });
    const guarded = await runJson(['run', 'a.yaml', '--set', `protect.names=[${stage.project}-web-1]`], stage);
    expect(guarded.code).toBe(5);
    expect(guarded.envelope.errors[0]?.message).toContain(`${stage.project}-web-1 is protected`);
  });
});
