// An agent whose pause mechanism does nothing where TEST_STUB says so: `inject` or `undo`.
import { runAgent } from '../../dist/agent/run-agent.js';
import { mechanisms } from '../../dist/mechanisms/mechanisms.js';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await runAgent({
  home: process.env.MAYHEM_HOME,
  dockerHost: null,
  signal: stop.signal,
  mechanisms: { ...mechanisms, pause: { ...mechanisms.pause, [process.env.TEST_STUB]: async () => undefined } },
});
