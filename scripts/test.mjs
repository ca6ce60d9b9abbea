import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { explain, setUp, tearDownEngine } from './setup.mjs';
import { engineIsOurs } from './setup/engine-process.mjs';
import { root } from './setup/places.mjs';
import { waitFor } from './setup/process.mjs';
import { withScratch } from './setup/scratch.mjs';
import { differences, readMachine } from './test/machine.mjs';
import { runChecks, runTests, seconds } from './test/stages.mjs';

const TESTS_MS = 45 * 60_000;
const SETTLE_MS = 15_000;
/** What must be as before once an engine that was started for the tests is stopped again. */
const HOST = ['process', 'mount', 'interface', 'nftables', 'iptables', 'ip6tables', 'qdisc', 'cgroup', 'file'];

const startedMs = performance.now();
const total = { passed: 0, failed: 0 };
const log = console.log;

/** @param {{ passed: number, failed: number }} count */
function add(count) {
  total.passed += count.passed;
  total.failed += count.failed;
}

/**
 * Compares until nothing differs or the time is over: what just ended may need a moment to be reaped.
 *
 * @param {string} name
 * @param {() => Promise<string[]>} compare
 */
async function noResidue(name, compare) {
  const checkMs = performance.now();
  /** @type {string[]} */
  let found = [];
  const clean = await waitFor(
    async () => {
      found = await compare();
      return found.length === 0;
    },
    { timeoutMs: SETTLE_MS, everyMs: 500 },
  );
  for (const line of found) log(`       ${line}`);
  log(`${clean ? 'ok ' : 'FAILED'} ${name} ${seconds(checkMs)}`);
  add(clean ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
}

/** @param {readonly string[]} filters */
async function main(filters) {
  const untouched = await readMachine({ checkout: root });
  const engineWasOurs = engineIsOurs();
  await setUp({ log });
  log('');
  await withScratch('test', async (folder) => {
    const mark = `MAYHEM_TEST_RUN=${randomUUID()}`;
    const machine = () => readMachine({ mark, checkout: root });
    const before = await machine();
    // All temporary files and state folders of the tests lie below this one folder; servers that run under
    // another user must get through it.
    const temporary = join(folder, 't');
    mkdirSync(temporary);
    for (const path of [folder, temporary]) chmodSync(path, 0o711);
    const env = { ...process.env, TMPDIR: temporary, MAYHEM_HOME: join(temporary, 'home') };
    Object.assign(env, Object.fromEntries([mark.split('=')]));
    add(await runChecks({ log }));
    add(await runTests({ log, env, folder, timeoutMs: TESTS_MS, filters }));
    await noResidue('nothing left behind by the tests', async () => [
      ...differences(before, await machine()),
      ...leftIn(temporary),
    ]);
  });
  if (!engineWasOurs && engineIsOurs()) {
    const engine = await tearDownEngine();
    log(engine.line);
    // Somebody else came to need it meanwhile; what the tests themselves leave on it was looked for above.
    if (engine.kind === 'left') return;
    await noResidue('machine as before the engine was started', async () =>
      differences(untouched, await readMachine({ checkout: root }), { only: HOST }),
    );
  }
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
const leftIn = (folder) =>
  readdirSync(folder, { recursive: true }).map((name) => `left behind: ${join(folder, String(name))}`);

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
try {
  await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
  total.failed += 1;
}
if (total.failed > 0) process.exitCode ||= 1;
log(`\ntook ${Math.round((performance.now() - startedMs) / 1_000)} s`);
log(`${total.passed} passed, ${total.failed} failed`);
