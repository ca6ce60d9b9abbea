import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { locateDemoHome, makeDemoHome, removeDemoHome, typed } from './demo/home.mjs';
import { shopFolder, shopImages, startShop, stopShop } from './demo/shop.mjs';
import { explain, lookUp, setUp, tearDownEngine } from './setup.mjs';
import { engineIsOurs } from './setup/engine-process.mjs';
import { root } from './setup/places.mjs';
import { run } from './setup/process.mjs';
import { runStep } from './setup/step.mjs';

const USAGE = `Usage: npm run demo [-- --resilience on|off | --down]

  (nothing)            set up what is missing, start the shop, run its drill
  --resilience off     the same drill with the gateway's time limits and fallbacks switched off
  --down               end everything that the demo left running`;

const mayhem = join(root, 'bin', 'mayhem');

/** @param {'on' | 'off'} resilience */
async function demo(resilience) {
  const startedMs = performance.now();
  const home = locateDemoHome();
  await setUp({ log: console.log });
  await runStep(shopImages, console.log);
  await startShop({ resilience, log: console.log });
  makeDemoHome(home);
  const readyMs = performance.now();
  console.log('\n$ mayhem run drill.yaml\n');
  const code = await runDrill(home);
  const engine = engineIsOurs() ? '\n  the Docker engine that this demo started' : '';
  console.log(`
set-up and start ${seconds(readyMs - startedMs)} s, drill ${seconds(performance.now() - readyMs)} s, exit code ${code}
left running:
  the shop, http://127.0.0.1:${process.env.SHOP_PORT || 8080}/
  Mayhem's own stack: ${typed(home, 'status')}
                      ${typed(home, 'inspect runs')}
                      ${typed(home, 'down')}${engine}
to end all of it: npm run demo -- --down`);
  return code;
}

/** @param {number} ms */
const seconds = (ms) => (ms / 1_000).toFixed(1);

/**
 * Ctrl-C reaches the drill as well, which undoes its faults before it ends: this script waits for that.
 *
 * @param {import('./demo/home.mjs').DemoHome} home
 */
async function runDrill(home) {
  const stay = () => {};
  process.on('SIGINT', stay);
  const { code } = await runMayhem(['run', 'drill.yaml'], { home, timeoutMs: 1_800_000 });
  process.off('SIGINT', stay);
  return code;
}

/**
 * @param {readonly string[]} args
 * @param {{ home: import('./demo/home.mjs').DemoHome, timeoutMs: number }} options
 */
function runMayhem(args, { home, timeoutMs }) {
  const env = { ...process.env, MAYHEM_HOME: home.path };
  return run(process.execPath, [mayhem, ...args], { timeoutMs, cwd: shopFolder, env, inherit: true });
}

/** Mayhem first: what is still in force is undone while its targets are there. */
async function down() {
  const { missing } = await lookUp(['docker-engine', 'compose']);
  let code = await endStack();
  if (missing.length === 0) {
    const shop = await stopShop();
    console.log(shop.code === 0 ? 'shop stopped, its volume removed' : shop.stderr.trim());
    if (shop.code !== 0) code ||= 9;
  } else {
    console.log(`shop: not looked for, as there is no ${missing.join(', no ')}`);
  }
  const engine = await tearDownEngine();
  console.log(engine.line);
  if (engine.kind === 'stuck') code ||= 9;
  return code;
}

/** @returns {Promise<number>} the exit code of `mayhem down`; its state folder is kept when that failed */
async function endStack() {
  const home = locateDemoHome();
  if (!existsSync(home.path)) {
    console.log(`mayhem: nothing runs, as there is no state folder ${home.path}`);
    return 0;
  }
  // The checkout that the stack was started from may be another one, or have lost what can be had again.
  const { missing } = await lookUp(['node-modules']);
  if (missing.length > 0 || !existsSync(join(root, 'dist', 'program', 'main.js'))) {
    await setUp({ only: ['node', 'node-modules', 'build'], log: console.log });
  }
  const { code } = await runMayhem(['down'], { home, timeoutMs: 120_000 });
  if (code !== 0) return code;
  const removed = removeDemoHome(home);
  console.log(removed.line);
  return removed.ok ? 0 : 9;
}

try {
  const { values } = parseArgs({
    options: {
      resilience: { type: 'string', default: 'on' },
      down: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { resilience } = values;
  if (values.help) console.log(USAGE);
  else if (values.down) process.exitCode = await down();
  else if (resilience === 'on' || resilience === 'off') process.exitCode = await demo(resilience);
  else throw Object.assign(new Error(`--resilience takes on or off, not ${resilience}`), { code: 'ERR_PARSE_ARGS' });
} catch (error) {
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exitCode = 2;
  } else {
    process.exitCode = explain(error);
  }
}
