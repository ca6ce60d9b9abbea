// An agent in a process of its own that injects one lease and kills itself (SIGKILL) at a boundary.
import { join } from 'node:path';
import { Agent } from '../../dist/agent/agent.js';
import { Journal } from '../../dist/agent/journal.js';
import { connectDocker } from '../../dist/engines/docker/docker-engine.js';
import { setBoundaryHook } from '../../dist/host/boundary.js';
import { systemClock } from '../../dist/host/system-clock.js';
import { mechanisms } from '../../dist/mechanisms/mechanisms.js';

const { home, journalFile, installationId, lease, dieAt } = JSON.parse(process.argv[2]);
setBoundaryHook(async (name) => {
  if (name !== dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
});
const agent = new Agent({
  engine: await connectDocker({ host: null }),
  engineId: lease.target.engine_id,
  installationId,
  mechanisms,
  journal: await Journal.open({ file: journalFile, nowMs: Date.now() }),
  clock: systemClock,
  pins: join(home, 'pins'),
  log: () => undefined,
});
await agent.arm(await agent.prepare(lease));
await agent.inject(lease.lease_id);
