// Many drills at once on one worker, all ending in the same second; with --kill the worker is killed in mid-hold.
import { openStage, pauses, percentile, sleep } from './stage.mjs';

const HOLD_S = 30;

/** @param {{ drills: number, kill: boolean }} options */
export async function measureMany({ drills, kill }) {
  const stage = await openStage(drills);
  try {
    stage.run('up');
    for (const name of stage.names) stage.write(`${name}.yaml`, pauses({ name, targets: [name], holdS: HOLD_S }));
    const ids = [];
    for (const name of stage.names) ids.push(stage.json('run', `${name}.yaml`, '--detach').run_id);
    const paused = async () => {
      const states = await Promise.all(stage.containers.map((container) => container.inspect()));
      return states.filter((state) => state.State.Paused).length;
    };
    let most = 0;
    for (let i = 0; i < 100 && most < drills; i += 1) {
      most = Math.max(most, await paused());
      await sleep(100);
    }
    if (kill) {
      const worker = stage.json('status').components.find((part) => part.name === 'worker');
      process.kill(worker.pid, 'SIGKILL');
    }
    for (let i = 0; i < 600 && (await paused()) > 0; i += 1) await sleep(200);
    const left = await paused();
    for (let i = 0; i < 300; i += 1) {
      if (stage.json('inspect', 'leases').leases.length === 0) break;
      await sleep(500);
    }
    const leases = ids.map((id) => stage.json('inspect', 'leases', '--run', id).leases[0]);
    const late = leases.map((lease) => Date.parse(lease.undone_at) - Date.parse(lease.deadline));
    return {
      name: `${drills} drills at once${kill ? ', worker killed in mid-hold' : ''}: undone after the deadline`,
      p50_ms: Math.round(percentile(late, 50)),
      p95_ms: Math.round(percentile(late, 95)),
      max_ms: Math.round(Math.max(...late)),
      n: drills,
      in_force_at_once: most,
      still_paused: left,
      outcomes: Object.fromEntries(
        [...new Set(leases.map((lease) => lease.outcome))].map((outcome) => [
          outcome,
          leases.filter((lease) => lease.outcome === outcome).length,
        ]),
      ),
      ended_by: Object.fromEntries(
        [...new Set(leases.map((lease) => lease.released_by))].map((by) => [
          by,
          leases.filter((lease) => lease.released_by === by).length,
        ]),
      ),
    };
  } finally {
    await stage.close();
  }
}
