// What the measurements share: sleeping containers that look like a compose project, a state folder, the built program.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Docker from 'dockerode';

export const BIN = fileURLToPath(new URL('../bin/mayhem', import.meta.url));
const docker = new Docker();

/** @param {number} count */
export async function openStage(count) {
  const project = `mb${randomBytes(4).toString('hex')}`;
  const cwd = mkdtempSync(join(tmpdir(), 'mayhem-bench-'));
  chmodSync(cwd, 0o711);
  const env = { ...process.env, MAYHEM_HOME: join(cwd, 'home'), NO_COLOR: '1' };
  const names = Array.from({ length: count }, (_, index) => `s${index + 1}`);
  const containers = [];
  for (const name of names) {
    const container = await docker.createContainer({
      Image: 'debian:bookworm-slim',
      Cmd: ['sleep', '3600'],
      name: `${project}-${name}-1`,
      StopTimeout: 0,
      Labels: {
        'mayhem.test': '1',
        'com.docker.compose.project': project,
        'com.docker.compose.service': name,
        'com.docker.compose.container-number': '1',
        'com.docker.compose.oneoff': 'False',
      },
    });
    await container.start();
    containers.push(container);
  }
  const services = names.map((name) => `  ${name}: {image: debian}`).join('\n');
  writeFileSync(join(cwd, 'docker-compose.yml'), `name: ${project}\nservices:\n${services}\n`);
  writeFileSync(
    join(cwd, 'mayhem.yaml'),
    'apiVersion: mayhem/v1\nblast_radius: {max_services_pct: 100, max_concurrent_faults: 1000}\n',
  );
  return {
    cwd,
    env,
    names,
    containers,
    /** @param {string[]} args */
    run(...args) {
      return spawnSync(process.execPath, [BIN, ...args], { cwd, env, encoding: 'utf8' });
    },
    /** @param {string[]} args */
    json(...args) {
      const { stdout, stderr } = spawnSync(process.execPath, [BIN, ...args, '--json'], { cwd, env, encoding: 'utf8' });
      try {
        return JSON.parse(stdout).data;
      } catch {
        throw new Error(`mayhem ${args.join(' ')}: ${stdout}${stderr}`);
      }
    },
    /** @param {string[]} args */
    start(...args) {
      return spawn(process.execPath, [BIN, ...args], { cwd, env, stdio: 'ignore' });
    },
    /** @param {string} name @param {string} text */
    write(name, text) {
      writeFileSync(join(cwd, name), text);
    },
    async close() {
      spawnSync(process.execPath, [BIN, 'down', '--force'], { cwd, env });
      await Promise.all(containers.map((container) => container.remove({ force: true })));
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** A drill of pauses, one step a hold. @param {{ name: string, targets: string[], holdS: number, repeats?: number }} options */
export function pauses({ name, targets, holdS, repeats = 1 }) {
  const faults = Array.from({ length: repeats }, () => `{fault: container.pause, duration: ${holdS}s}`).join(', ');
  return `apiVersion: mayhem/v1
kind: drill
name: ${name}
hypothesis: a figure
containers:
${targets.map((target) => `  ${target}: {faults: [${faults}]}`).join('\n')}
`;
}

/** @param {number[]} values @param {number} percent */
export function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** @param {number} ms */
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
