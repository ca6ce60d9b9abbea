// How long the command line takes, beside a node that does nothing: pairs in one run, medians.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BIN, percentile } from './stage.mjs';

const ROUNDS = 15;
const shop = fileURLToPath(new URL('../examples/shop', import.meta.url));

/** @param {string[]} args @param {string} cwd */
function timed(args, cwd) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: process.env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - begun;
}

/** A chain of services, each with ports, variables and a dependency. @param {number} count */
function compose(count) {
  const services = Array.from(
    { length: count },
    (_, i) => `  s${i}:
    image: example/s${i}:\${TAG:-1}
    environment: {DB_URL: "postgres://db-${i}:5432/app", LEVEL: "\${LEVEL:-info}"}
    ports: ["${10_000 + i}:8080"]
    depends_on: [${i === 0 ? '' : `s${i - 1}`}]`,
  );
  return `services:\n${services.join('\n')}\n`;
}

export function measureCli() {
  const folder = mkdtempSync(join(tmpdir(), 'mayhem-bench-'));
  try {
    for (const count of [1_000, 2_000, 3_000]) {
      writeFileSync(join(folder, `${count}.yml`), compose(count));
    }
    writeFileSync(
      join(folder, 'drill.yaml'),
      'apiVersion: mayhem/v1\nkind: drill\nname: big\nhypothesis: x\ncontainers: {s7: {faults: [{fault: container.pause}]}}\n',
    );
    const commands = {
      'node -e 0': [['-e', '0'], shop],
      'mayhem --help': [[BIN, '--help'], shop],
      'mayhem validate (shop)': [[BIN, 'validate', 'drill.yaml'], shop],
      'mayhem plan (shop)': [[BIN, 'plan', 'drill.yaml'], shop],
      'mayhem plan, 1,000 services': [[BIN, 'plan', 'drill.yaml', '-c', '1000.yml'], folder],
      'mayhem plan, 2,000 services': [[BIN, 'plan', 'drill.yaml', '-c', '2000.yml'], folder],
      'mayhem plan, 3,000 services': [[BIN, 'plan', 'drill.yaml', '-c', '3000.yml'], folder],
    };
    /** @type {Record<string, number[]>} */
    const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, [args, cwd]] of Object.entries(commands)) times[name].push(timed(args, cwd));
    }
    const base = percentile(times['node -e 0'], 50);
    return Object.entries(times).map(([name, values]) => ({
      name,
      p50_ms: Math.round(percentile(values, 50)),
      p95_ms: Math.round(percentile(values, 95)),
      ratio: Number((percentile(values, 50) / base).toFixed(2)),
    }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
