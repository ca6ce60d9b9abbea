import { findFault } from '../faults/catalog.js';
import { checkFault } from '../faults/check-fault.js';
import { catalog } from '../faults/catalog.js';
import type { Criterion } from '../model/criterion.js';
import type { Drill, DrillBlock, DrillContainer, DrillFault } from '../model/drill.js';
import type { CheckProbe } from '../model/probe.js';
import { placeAtPath, type YamlNode } from '../source/yaml-node.js';
import type { AuthoredDrill, AuthoredFault } from './drill-schema.js';
import { faultParamsOf } from './fault-params.js';
import { readProbe } from './probe-schema.js';

const DEFAULT_DURATION_MS = 10_000;
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
const DEFAULT_CADENCE_MS = 500;
const DEFAULT_WINDOW_MS = 10_000;
const DEFAULT_MIN_OK_PCT = 99;

/** The drill a checked document stands for, defaults filled in. */
export function toDrill(options: {
  readonly authored: AuthoredDrill;
  readonly root: YamlNode;
  readonly file: string;
}): Drill {
  const { authored, root, file } = options;
  const containers = Object.entries(authored.containers ?? {}).map(
    ([name, container]): DrillContainer => ({
      name,
      faults: (container.faults ?? []).map((fault, index) =>
        toFault({ fault, root, path: ['containers', name, 'faults', index] }),
      ),
      place: placeAtPath(root, ['containers', name]),
    }),
  );
  const timeoutMs = authored.config?.timeout ?? DEFAULT_TIMEOUT_MS;
  return {
    name: authored.name,
    hypothesis: authored.hypothesis ?? null,
    config: {
      risk_ceiling: authored.config?.risk_ceiling ?? 'high',
      max_faults: authored.config?.max_faults ?? 1,
      timeout_ms: timeoutMs === 0 ? null : timeoutMs,
      recovery: authored.config?.recovery ?? true,
      on_failure: authored.config?.on_failure ?? 'abort_and_recover',
    },
    containers,
    execution: toExecution({ authored, root, containers }),
    steady_state: (authored.steady_state ?? []).map((entry) => ({
      id: entry.id,
      ...readProbe({ authored: entry.probe, expect: entry.expect }),
      cadence_ms: entry.cadence ?? DEFAULT_CADENCE_MS,
      window_ms: entry.window ?? DEFAULT_WINDOW_MS,
      min_ok_pct: entry.min_ok_pct ?? DEFAULT_MIN_OK_PCT,
    })),
    success:
      authored.success === undefined || authored.success === null
        ? null
        : {
            require_all: authored.success.require_all ?? true,
            criteria: (authored.success.criteria ?? []).map(toCriterion),
          },
    file,
  };
}

function toFault(options: {
  readonly fault: AuthoredFault;
  readonly root: YamlNode;
  readonly path: readonly (string | number)[];
}): DrillFault {
  const { fault, root, path } = options;
  const authored = faultParamsOf(fault);
  const durationMs = fault.duration ?? DEFAULT_DURATION_MS;
  const { params } = checkFault({
    catalog,
    fault: fault.fault,
    durationMs,
    params: Object.fromEntries([...authored].map(([name, param]) => [name, param.value])),
  });
  return {
    fault: findFault(fault.fault)?.id ?? fault.fault,
    duration_ms: durationMs,
    params,
    recovery: fault.recovery ?? null,
    on_failure: fault.on_failure ?? null,
    peers: [],
    place: placeAtPath(root, [...path, 'fault']),
  };
}

function toExecution(options: {
  readonly authored: AuthoredDrill;
  readonly root: YamlNode;
  readonly containers: readonly DrillContainer[];
}): readonly DrillBlock[] {
  const { authored, root, containers } = options;
  if (authored.execution === undefined) {
    const names = containers.map((container) => container.name);
    return [{ kind: 'sequential', names, place: placeAtPath(root, ['containers']) }];
  }
  return authored.execution.flatMap((block, index): DrillBlock[] => {
    const place = placeAtPath(root, ['execution', index]);
    if (block.parallel !== undefined) return [{ kind: 'parallel', names: block.parallel, place }];
    if (block.sequential !== undefined) return [{ kind: 'sequential', names: block.sequential, place }];
    if (block.wait !== undefined) return [{ kind: 'wait', duration_ms: block.wait.duration, place }];
    return block.check === undefined ? [] : [{ kind: 'check', checks: block.check.map(toCheck), place }];
  });
}

type AuthoredBlock = NonNullable<AuthoredDrill['execution']>[number];

function toCheck(check: NonNullable<AuthoredBlock['check']>[number]): CheckProbe {
  const authored =
    check.http !== undefined
      ? ({ type: 'http', ...check.http } as const)
      : ({ type: 'tcp', ...(check.tcp as NonNullable<typeof check.tcp>) } as const);
  return { id: check.id ?? null, ...readProbe({ authored, expect: check.expect }) };
}

function toCriterion(authored: NonNullable<NonNullable<AuthoredDrill['success']>['criteria']>[number]): Criterion {
  switch (authored.type) {
    case 'status':
      return { type: 'status', source_id: authored.source_id, expected: authored.expected };
    case 'latency':
      return { type: 'latency', source_id: authored.source_id, lt_ms: authored.lt_ms };
    case 'boolean':
      return { type: 'boolean', source_id: authored.source_id, value: authored.value ?? true };
  }
}
