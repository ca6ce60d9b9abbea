import { formatDuration } from '../model/duration.js';
import type { FaultEntry, ParamValues } from '../model/fault.js';
import { nearest } from '../model/nearest.js';
import { findFaultIn, isPlannedFault, nearestFault } from './catalog.js';
import { readParam } from './read-param.js';

/** Something wrong with an authored fault. `about` names the part of its entry that is wrong. */
export interface FaultProblem {
  readonly kind: 'unsupported' | 'invalid';
  readonly about: { readonly part: 'fault' | 'duration' } | { readonly part: 'param'; readonly name: string };
  readonly message: string;
  readonly hint: string | null;
}

export interface CheckedFault {
  /** null when the id is not of the catalog. */
  readonly entry: FaultEntry | null;
  /** The parameters, read and defaulted; complete only when there are no problems. */
  readonly params: ParamValues;
  readonly problems: readonly FaultProblem[];
}

/** Keys of a fault's entry that are no parameters; hints offer them too, since a slip in one reads as a parameter. */
const ENTRY_KEYS = ['fault', 'duration', 'params', 'recovery', 'on_failure', 'targets', 'network_path', 'selection'];

/**
 * Checks an authored fault against the catalog: its id, its duration against the cap, each parameter against the table.
 * `durationMs` or `params` null: not checked, because they could not be read. Reports all problems.
 */
export function checkFault(options: {
  readonly catalog: readonly FaultEntry[];
  readonly fault: string;
  readonly durationMs: number | null;
  readonly params: Readonly<Record<string, unknown>> | null;
}): CheckedFault {
  const entry = findFaultIn(options.catalog, options.fault);
  if (entry === null) return { entry, params: {}, problems: [unknownFault(options.fault)] };

  const problems: FaultProblem[] = [];
  if (options.durationMs !== null && options.durationMs > entry.capMs) {
    problems.push({
      kind: 'invalid',
      about: { part: 'duration' },
      message: `${entry.id} lasts at most ${formatDuration(entry.capMs)}, not ${formatDuration(options.durationMs)}`,
      hint: `shorten its duration to ${formatDuration(entry.capMs)} or less`,
    });
  }
  if (options.params === null) return { entry, params: {}, problems };

  const params: Record<string, ParamValues[string]> = {};
  const names = entry.params.map((spec) => spec.name);
  for (const name of Object.keys(options.params)) {
    if (!names.includes(name)) problems.push(unknownParam({ entry, name, names }));
  }
  for (const spec of entry.params) {
    const given = Object.hasOwn(options.params, spec.name) ? options.params[spec.name] : undefined;
    if (given === undefined) {
      if (spec.default !== undefined) params[spec.name] = spec.default;
      else if (spec.required === true) {
        problems.push({
          kind: 'invalid',
          about: { part: 'fault' },
          message: `${entry.id} needs the parameter "${spec.name}" (${spec.help})`,
          hint: `add ${spec.name} under params`,
        });
      }
      continue;
    }
    const read = readParam(spec, given);
    if (read.ok) params[spec.name] = read.value;
    else {
      problems.push({
        kind: 'invalid',
        about: { part: 'param', name: spec.name },
        message: `${spec.name}: ${read.problem}`,
        hint: spec.help,
      });
    }
  }
  return { entry, params, problems };
}

function unknownFault(id: string): FaultProblem {
  if (isPlannedFault(id)) {
    return {
      kind: 'unsupported',
      about: { part: 'fault' },
      message: `the fault "${id}" is not supported yet`,
      hint: 'see `mayhem discover faults` for those that are',
    };
  }
  const near = nearestFault(id);
  return {
    kind: 'invalid',
    about: { part: 'fault' },
    message: `there is no fault "${id}"`,
    hint: near === null ? 'see `mayhem discover faults` for the catalog' : `did you mean "${near}"?`,
  };
}

function unknownParam(options: {
  readonly entry: FaultEntry;
  readonly name: string;
  readonly names: readonly string[];
}): FaultProblem {
  const near = nearest({ word: options.name, candidates: [...options.names, ...ENTRY_KEYS] });
  const known = options.names.length === 0 ? 'it takes none' : `it takes ${options.names.join(', ')}`;
  return {
    kind: 'invalid',
    about: { part: 'param', name: options.name },
    message: `${options.entry.id} has no parameter "${options.name}" (${known})`,
    hint: near === null ? 'remove it' : `did you mean "${near}"?`,
  };
}
