// What a fault costs beyond its hold, how late its undo is, how soon an abort has undone it: from the recorded times of real runs.
import { openStage, pauses, percentile, sleep } from './stage.mjs';

const CHAIN = 20;
const HOLD_S = 1;
const ABORTS = 10;

/** @param {string} text */
const at = (text) => Date.parse(text);

/** @param {number[]} values */
function row(values) {
  return {
    p50_ms: Math.round(percentile(values, 50)),
    p95_ms: Math.round(percentile(values, 95)),
    max_ms: Math.round(Math.max(...values)),
    n: values.length,
  };
}

export async function measureFaults() {
  const stage = await openStage(1);
  try {
    stage.run('up');
    stage.write('chain.yaml', pauses({ name: 'chain', targets: ['s1'], holdS: HOLD_S, repeats: CHAIN }));
    const chain = stage.json('run', 'chain.yaml');
    const faults = chain.faults.toSorted((a, b) => at(a.injected_at) - at(b.injected_at));
    if (faults.some((fault) => fault.undo !== 'restored'))
      throw new Error(`a fault was not undone: ${JSON.stringify(chain)}`);
    // From one undo to the next in a chain there is one hold; the rest is what a fault costs.
    const costs = faults.slice(1).map((fault, i) => at(fault.undone_at) - at(faults[i].undone_at) - HOLD_S * 1000);
    const late = faults.map((fault) => at(fault.undone_at) - fault.undo_ms - at(fault.injected_at) - HOLD_S * 1000);

    stage.write('long.yaml', pauses({ name: 'long', targets: ['s1'], holdS: 60 }));
    const aborts = [];
    for (let i = 0; i < ABORTS; i += 1) {
      const run = stage.start('run', 'long.yaml');
      const ended = new Promise((resolve) => run.once('exit', resolve));
      while (!(await stage.containers[0].inspect()).State.Paused) await sleep(20);
      await sleep(500);
      const begun = performance.now();
      run.kill('SIGINT');
      while ((await stage.containers[0].inspect()).State.Paused) await sleep(5);
      aborts.push(performance.now() - begun);
      await ended;
    }
    return [
      { name: `cost of a fault beyond its hold (chain of ${CHAIN} pauses)`, ...row(costs) },
      { name: 'undo begun after the deadline', ...row(late) },
      { name: 'Ctrl-C to undone (pause, seen on the engine)', ...row(aborts) },
    ];
  } finally {
    await stage.close();
  }
}
