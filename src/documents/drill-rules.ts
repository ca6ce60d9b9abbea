import { checkFault } from '../faults/check-fault.js';
import { catalog } from '../faults/catalog.js';
import type { Blueprint } from '../model/blueprint.js';
import { MayhemError } from '../model/error.js';
import { ServiceIndex } from '../model/find-service.js';
import { nearest } from '../model/nearest.js';
import type { Notice } from '../model/notice.js';
import { placeAtPath, type YamlNode } from '../source/yaml-node.js';
import { faultParamsOf } from './fault-params.js';
import { durationMs } from './values.js';

type Path = readonly (string | number)[];
const BLOCK_KEYS = ['parallel', 'sequential', 'wait', 'check', 'check_spec'];

/**
 * What a schema cannot say about a drill, checked on its plain value whatever else is wrong with it: faults against the catalog,
 * names against each other and against the stack, one key per block, ids given once.
 */
export function checkDrillRules(options: {
  readonly root: YamlNode;
  readonly plain: Readonly<Record<string, unknown>>;
  /** When given, the names of containers are looked up in it too. */
  readonly blueprint: Blueprint | null;
}): { readonly errors: readonly MayhemError[]; readonly notices: readonly Notice[] } {
  const errors: MayhemError[] = [];
  const notices: Notice[] = [];
  const { root, plain } = options;
  const fail = (path: Path, message: string, hint?: string, code: MayhemError['code'] = 'document.invalid') => {
    errors.push(
      new MayhemError(code, message, { place: placeAtPath(root, path), ...(hint === undefined ? {} : { hint }) }),
    );
  };

  const containers = mapOf(plain['containers']);
  const names = Object.keys(containers);
  if (plain['containers'] === undefined && plain['targets'] === undefined) {
    fail([], 'containers is required', 'name at least one container with a fault');
  } else if (isMap(plain['containers']) && names.length === 0) {
    fail(['containers'], 'containers is empty', 'name at least one container with a fault');
  }
  const stack = options.blueprint === null ? null : new ServiceIndex(options.blueprint);
  for (const name of names) {
    if (name.trim() === '' || /\p{Cc}/u.test(name)) fail(['containers', name], 'a container needs a printable name');
    else if (stack !== null && stack.find(name) === null) {
      const { message, hint } = stack.missing(name);
      fail(['containers', name], message, hint, 'target.missing');
    }
    listOf(mapOf(containers[name])['faults']).forEach((fault, index) => {
      if (isMap(fault)) checkAuthoredFault({ fault, path: ['containers', name, 'faults', index], fail });
      if (isMap(fault) && 'network_path' in fault) {
        const place = placeAtPath(root, ['containers', name, 'faults', index, 'network_path']);
        notices.push({ level: 'notice', message: 'network_path is reserved and has no effect', place });
      }
    });
  }

  const executed = checkExecution({ execution: plain['execution'], names, fail });
  if (executed !== null) {
    for (const name of names) {
      if (executed.has(name)) continue;
      const place = placeAtPath(root, ['containers', name]);
      notices.push({
        level: 'warning',
        message: `no block of execution names "${name}": its faults are left out`,
        place,
      });
    }
  }
  checkIds({ plain, fail });
  return { errors, notices };
}

type Fail = (path: Path, message: string, hint?: string, code?: MayhemError['code']) => void;

function checkAuthoredFault(options: {
  readonly fault: Record<string, unknown>;
  readonly path: Path;
  readonly fail: Fail;
}): void {
  const { fault, path, fail } = options;
  if (typeof fault['fault'] !== 'string' || fault['fault'].trim() === '') return;
  const params = faultParamsOf(fault);
  const duration = durationMs().safeParse(fault['duration']);
  const checked = checkFault({
    catalog,
    fault: fault['fault'],
    durationMs: duration.success ? duration.data : null,
    params: Object.fromEntries([...params].map(([name, param]) => [name, param.value])),
  });
  for (const problem of checked.problems) {
    const { about } = problem;
    const at = about.part === 'param' ? (params.get(about.name)?.path ?? []) : [about.part];
    const code = problem.kind === 'unsupported' ? 'document.unsupported' : 'document.invalid';
    fail([...path, ...at], problem.message, problem.hint ?? undefined, code);
  }
}

/** Names that blocks run, or null when there is no execution to read. */
function checkExecution(options: {
  readonly execution: unknown;
  readonly names: readonly string[];
  readonly fail: Fail;
}): ReadonlySet<string> | null {
  if (!Array.isArray(options.execution)) return null;
  const { names, fail } = options;
  const executed = new Set<string>();
  options.execution.forEach((block: unknown, index) => {
    if (!isMap(block)) return;
    const keys = Object.keys(block);
    const known = keys.filter((key) => BLOCK_KEYS.includes(key));
    if (known.length > 1) {
      fail(
        ['execution', index, known[1] as string],
        `a block has exactly one key, not ${known.join(' and ')}`,
        'make it two blocks',
      );
    } else if (keys.length === 0) {
      fail(['execution', index], 'a block is empty', `give one of ${BLOCK_KEYS.join(', ')}`);
    }
    for (const mode of ['parallel', 'sequential'] as const) {
      const inBlock = new Set<string>();
      listOf(block[mode]).forEach((name, position) => {
        if (typeof name !== 'string') return;
        const path = ['execution', index, mode, position];
        if (!names.includes(name)) {
          const near = nearest({ word: name, candidates: names });
          fail(path, `"${name}" is not under containers`, near === null ? `add it there` : `did you mean "${near}"?`);
        }
        if (mode === 'parallel' && inBlock.has(name)) fail(path, `"${name}" is given twice in one parallel block`);
        inBlock.add(name);
        executed.add(name);
      });
    }
  });
  return executed;
}

/** Ids of checks and steady states are names of sources: one each. */
function checkIds(options: { readonly plain: Readonly<Record<string, unknown>>; readonly fail: Fail }): void {
  const seen = new Set<string>();
  const see = (id: unknown, path: Path) => {
    if (typeof id !== 'string') return;
    if (seen.has(id)) options.fail(path, `the id "${id}" is given twice`, 'ids name sources: give each its own');
    seen.add(id);
  };
  listOf(options.plain['execution']).forEach((block, index) => {
    listOf(mapOf(block)['check']).forEach((check, position) => {
      const path = ['execution', index, 'check', position];
      const { id, http, tcp, expect } = mapOf(check);
      see(id, [...path, 'id']);
      if (isMap(check) && http !== undefined && tcp !== undefined)
        options.fail([...path, 'tcp'], 'a check has either http or tcp');
      if (isMap(check) && !Object.keys(check).some((key) => key !== 'id' && key !== 'expect')) {
        options.fail(path, 'a check needs http or tcp', 'write for example http: "http://web:8080/health"');
      }
      if (tcp !== undefined) checkTcpExpect({ expect, path, fail: options.fail });
    });
  });
  listOf(options.plain['steady_state']).forEach((entry, index) => {
    const { id, probe, expect } = mapOf(entry);
    see(id, ['steady_state', index, 'id']);
    if (mapOf(probe)['type'] === 'tcp') checkTcpExpect({ expect, path: ['steady_state', index], fail: options.fail });
  });
}

function checkTcpExpect(options: { readonly expect: unknown; readonly path: Path; readonly fail: Fail }): void {
  for (const key of ['status', 'contains'] as const) {
    if (key in mapOf(options.expect))
      options.fail([...options.path, 'expect', key], `a tcp probe has no ${key}`, 'expect reachable or latency_ms');
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
function mapOf(value: unknown): Record<string, unknown> {
  return isMap(value) ? value : {};
}
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
