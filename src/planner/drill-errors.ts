import { type CheckedFault, checkFault } from '../faults/check-fault.js';
import type { Blueprint, Service } from '../model/blueprint.js';
import type { Drill, DrillBlock, DrillFault } from '../model/drill.js';
import { MayhemError, type Place } from '../model/error.js';
import type { FaultEntry } from '../model/fault.js';
import { ServiceIndex } from '../model/find-service.js';
import { nearest } from '../model/nearest.js';
import type { LaidStep } from './lay-steps.js';

/** The service each container of the drill stands for; those that stand for none become errors. */
export function resolveNames(options: {
  readonly drill: Drill;
  readonly blueprint: Blueprint;
  readonly errors: MayhemError[];
}): ReadonlyMap<string, Service> {
  const index = new ServiceIndex(options.blueprint);
  const found = new Map<string, Service>();
  const absent = options.drill.containers.filter(({ name }) => index.find(name) === null).map(({ name }) => name);
  for (const { name, place } of options.drill.containers) {
    const service = index.find(name);
    if (service !== null) {
      found.set(name, service);
      continue;
    }
    const { message, hint } = index.missing(name);
    const details = { missing: [...absent].sort(), available: index.names() };
    options.errors.push(new MayhemError('target.missing', message, { hint, place, details }));
  }
  return found;
}

/** Every authored fault checked against the catalog; what is wrong becomes errors at its place. */
export function checkFaults(options: {
  readonly drill: Drill;
  readonly catalog: readonly FaultEntry[];
  readonly errors: MayhemError[];
}): ReadonlyMap<DrillFault, CheckedFault> {
  const checked = new Map<DrillFault, CheckedFault>();
  for (const container of options.drill.containers) {
    for (const fault of container.faults) {
      const result = checkFault({
        catalog: options.catalog,
        fault: fault.fault,
        durationMs: fault.duration_ms,
        params: fault.params,
      });
      checked.set(fault, result);
      for (const { kind, message, hint } of result.problems) {
        const code = kind === 'unsupported' ? 'document.unsupported' : 'plan.invalid';
        const named = message.includes(fault.fault) ? message : `${fault.fault}: ${message}`;
        options.errors.push(new MayhemError(code, named, { place: fault.place, ...(hint === null ? {} : { hint }) }));
      }
      if (fault.peers.length > 0 && result.entry !== null) {
        options.errors.push(new MayhemError('plan.invalid', `${fault.fault} takes no targets`, { place: fault.place }));
      }
      if (result.entry !== null && !result.entry.kinds.some((kind) => kind === 'container' || kind === 'service')) {
        const kinds = result.entry.kinds.join(', ');
        const message = `${fault.fault} is for ${kinds}, but "${container.name}" is a container of a service`;
        options.errors.push(new MayhemError('plan.invalid', message, { place: fault.place }));
      }
    }
  }
  return checked;
}

/** Names that blocks use and the drill has not, and two names of one parallel block that mean the same service. */
export function blockErrors(options: {
  readonly drill: Drill;
  readonly services: ReadonlyMap<string, Service>;
}): readonly MayhemError[] {
  const errors: MayhemError[] = [];
  const names = options.drill.containers.map((container) => container.name);
  for (const block of options.drill.execution) {
    if (block.kind !== 'parallel' && block.kind !== 'sequential') continue;
    const taken = new Map<string, string>();
    for (const name of block.names) {
      if (!names.includes(name)) {
        const near = nearest({ word: name, candidates: names });
        const hint = near === null ? 'add it under containers' : `did you mean "${near}"?`;
        errors.push(new MayhemError('plan.invalid', `"${name}" is not under containers`, { place: block.place, hint }));
      }
      const service = options.services.get(name);
      if (block.kind === 'sequential' || service === undefined) continue;
      const other = taken.get(service.name);
      if (other !== undefined) errors.push(twiceError({ name, other, service, place: block.place }));
      taken.set(service.name, name);
    }
  }
  return errors;
}

function twiceError(options: {
  readonly name: string;
  readonly other: string;
  readonly service: Service;
  readonly place: Place;
}): MayhemError {
  const { name, other, service, place } = options;
  const message =
    name === other
      ? `"${name}" is given twice in one parallel block`
      : `"${other}" and "${name}" are both the service "${service.name}": they cannot run in parallel`;
  return new MayhemError('plan.invalid', message, { place, hint: 'put them into one chain or into two blocks' });
}

/** Two steps with one id, or no fault at all. */
export function layoutErrors(options: {
  readonly drill: Drill;
  readonly laid: readonly LaidStep<DrillFault>[];
}): readonly MayhemError[] {
  const { drill, laid } = options;
  const errors: MayhemError[] = [];
  const seen = new Set<string>();
  for (const step of laid) {
    const block = drill.execution[step.block] as DrillBlock;
    const known = errors.some((error) => error.place === block.place);
    if (seen.has(step.step_id) && !known && !isRepeat(block)) {
      const message = `two steps have the id "${step.step_id}"`;
      errors.push(
        new MayhemError('plan.invalid', message, { place: block.place, hint: 'rename one of the containers' }),
      );
    }
    seen.add(step.step_id);
  }
  if (!laid.some((step) => step.kind === 'fault')) {
    const place = drill.execution[0]?.place ?? drill.containers[0]?.place ?? { file: drill.file, line: 1, column: 1 };
    errors.push(
      new MayhemError('plan.invalid', `the drill "${drill.name}" injects no fault`, {
        place,
        hint: 'give a container that execution names at least one fault',
      }),
    );
  }
  return errors;
}

/** A parallel block that names one container twice is told as that, not as two equal ids. */
function isRepeat(block: DrillBlock): boolean {
  return block.kind === 'parallel' && new Set(block.names).size < block.names.length;
}
