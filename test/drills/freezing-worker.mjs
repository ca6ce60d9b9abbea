// A worker outside supervision that freezes itself (SIGSTOP) just before it asks the agent to inject, once, and says so in a file.
import { writeFileSync } from 'node:fs';
import { setBoundaryHook } from '../../dist/host/boundary.js';
import { homeAt } from '../../dist/stack/home.js';
import { locateStack } from '../../dist/stack/ensure-stack.js';
import { runWorker } from '../../dist/worker/run-worker.js';

const { MAYHEM_HOME, TEST_FROZEN_FILE } = process.env;
let frozen = false;
setBoundaryHook(async (name) => {
  if (name === 'worker.after-inject' && frozen) process.stderr.write('late inject was done\n');
  if (name !== 'worker.before-inject' || frozen) return;
  frozen = true;
  writeFileSync(TEST_FROZEN_FILE, String(process.pid));
  process.kill(process.pid, 'SIGSTOP');
  // The signal takes effect before the next tick.
  await new Promise((resolve) => setImmediate(resolve));
  process.stderr.write('thawed: asks for its inject\n');
});
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const unconfigured = { database_url: null, temporal: { address: null, namespace: 'default', task_queue: 'mayhem' } };
const { databaseUrl, temporal } = locateStack({ home: homeAt(MAYHEM_HOME), config: unconfigured });
await runWorker({ home: MAYHEM_HOME, databaseUrl, temporal, signal: stop.signal });
