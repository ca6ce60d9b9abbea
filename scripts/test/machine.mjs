import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../setup/process.mjs';

/**
 * What of a machine Mayhem could leave changed: lines by kind, each line naming one thing.
 *
 * @typedef {Record<string, Set<string>>} Machine
 */

/** The engine's identity stays for good, by design. */
const STAYS = new Set(['volume mayhem-engine']);

/**
 * Reads the machine's state; read-only, and quiet about tools that are not installed.
 *
 * @param {{ mark?: string | undefined, checkout: string }} options
 *   `mark`: `NAME=value` in the environment of every process that belongs to the tests
 * @returns {Promise<Machine>}
 */
export async function readMachine({ mark, checkout }) {
  return {
    process: processes(mark),
    mount: mounts(),
    interface: new Set(list('/sys/class/net')),
    cgroup: new Set(groups('/sys/fs/cgroup', 4)),
    file: files(),
    checkout: await lines('git', ['-C', checkout, 'status', '--porcelain', '--untracked-files=all']),
    nftables: await rules('nft', ['list', 'ruleset']),
    iptables: await rules('iptables-save', []),
    ip6tables: await rules('ip6tables-save', []),
    qdisc: await lines('tc', ['qdisc', 'show']),
    container: await objects(['ps', '--all', '--no-trunc', '--format', '{{.ID}} {{.Names}}']),
    volume: await objects(['volume', 'ls', '--format', '{{.Name}}']),
    network: await objects(['network', 'ls', '--no-trunc', '--format', '{{.ID}} {{.Name}}']),
  };
}

/**
 * @param {Machine} before
 * @param {Machine} after
 * @param {{ only?: readonly string[] }} [options] kinds to compare; all when absent
 * @returns {string[]} one line for each thing that is there now and was not, or the other way round where
 *   Mayhem may have taken something of the machine's own away
 */
export function differences(before, after, { only } = {}) {
  const found = [];
  for (const [kind, things] of Object.entries(after)) {
    if (only && !only.includes(kind)) continue;
    const had = before[kind] ?? new Set();
    for (const thing of things) {
      if (!had.has(thing) && !STAYS.has(`${kind} ${thing}`)) found.push(`left behind: ${kind} ${thing}`);
    }
    if (!WATCHED_FOR_LOSS.has(kind)) continue;
    for (const thing of had) if (!things.has(thing)) found.push(`taken away: ${kind} ${thing}`);
  }
  return found;
}

/** Other kinds come and go by themselves. */
const WATCHED_FOR_LOSS = new Set(['mount', 'interface', 'nftables', 'iptables', 'ip6tables', 'qdisc']);

/** Programs that Mayhem or its set-up starts, under whatever path; Postgres gets an environment of its own. */
const OURS = /bin\/mayhem |^(\S*\/)?(stress-ng|postgres -|dockerd|containerd|docker-proxy)|temporal server start-dev/;

/**
 * Processes that carry the mark, and those that are Mayhem's by their command line although they lost it.
 *
 * @param {string | undefined} mark
 */
function processes(mark) {
  const found = new Set();
  for (const pid of list('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
    if (command === '') continue;
    const marked = mark !== undefined && read(`/proc/${pid}/environ`).split('\0').includes(mark);
    if (marked || OURS.test(command)) {
      found.add(`${pid} ${command.slice(0, 160)}`);
    }
  }
  return found;
}

/** Mount points of this namespace, without those that the engine keeps for running containers. */
function mounts() {
  const points = read('/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? []);
  return new Set(points.filter((point) => !/^\/(var\/lib|run|var\/run)\/docker\//.test(point)));
}

/** Mayhem's files outside the checkout: temporary ones, and its state folders where nobody names others, to the third level. */
function files() {
  const temporary = list(tmpdir())
    .filter((name) => name.startsWith('mayhem'))
    .map((name) => join(tmpdir(), name));
  const runtime = list('/run')
    .filter((name) => name.startsWith('mayhem'))
    .map((name) => join('/run', name));
  const homes = ['/var/lib', join(homedir(), '.local', 'state')]
    .flatMap((folder) => ['mayhem', 'mayhem-demo'].map((name) => join(folder, name)))
    .filter((home) => existsSync(home))
    .flatMap((home) => [home, ...below(home, 3)]);
  return new Set([...temporary, ...runtime, ...homes]);
}

/**
 * @param {string} folder
 * @param {number} depth
 * @returns {string[]}
 */
function below(folder, depth) {
  if (depth === 0) return [];
  return list(folder).flatMap((name) => [join(folder, name), ...below(join(folder, name), depth - 1)]);
}

/**
 * @param {string} folder
 * @param {number} depth
 * @returns {string[]} control groups with Mayhem's name
 */
function groups(folder, depth) {
  if (depth === 0 || !existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const path = join(folder, entry.name);
    return entry.name.includes('mayhem') ? [path] : groups(path, depth - 1);
  });
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
async function lines(program, args) {
  const { code, stdout } = await run(program, args, { timeoutMs: 20_000 });
  return new Set(code === 0 ? stdout.split('\n').filter((line) => line.trim() !== '') : []);
}

/**
 * Rules with the chain or table they stand in, without counters and times.
 *
 * @param {string} program
 * @param {readonly string[]} args
 */
async function rules(program, args) {
  const { code, stdout } = await run(program, args, { timeoutMs: 20_000 });
  const found = new Set();
  let place = '';
  for (const text of code === 0 ? stdout.split('\n') : []) {
    const line = text
      .replace(/\[\d+:\d+\]/g, '')
      .replace(/packets \d+ bytes \d+/g, '')
      .trim();
    if (line === '' || line === '}' || line === 'COMMIT' || line.startsWith('#')) continue;
    if (/^(\*|table )/.test(line)) place = line;
    found.add(line === place ? line : `${place} ${line}`);
  }
  return found;
}

/** @param {readonly string[]} args */
const objects = (args) => lines('docker', args);
