import type { FaultEntry } from '../model/fault.js';
import { nearest } from '../model/nearest.js';
import { containerFaults } from './container.js';
import { cpuFaults } from './cpu.js';
import { networkFaults } from './network.js';
import { plannedFaults } from './planned.js';

/** Every fault that is built, in the order of the families' files. */
export const catalog: readonly FaultEntry[] = [...containerFaults, ...cpuFaults, ...networkFaults];

/** The entry with this id or alias among `entries`, or null. Ids match whole and case-sensitively. */
export function findFaultIn(entries: readonly FaultEntry[], idOrAlias: string): FaultEntry | null {
  return entries.find((entry) => entry.id === idOrAlias || entry.aliases.includes(idOrAlias)) ?? null;
}

/** The catalog's entry with this id or alias, or null when no built fault has it. */
export function findFault(idOrAlias: string): FaultEntry | null {
  return findFaultIn(catalog, idOrAlias);
}

/** The id of the catalog nearest to one that is not in it, for hints; built faults win over those that are only planned. */
export function nearestFault(id: string): string | null {
  const built = catalog.flatMap((entry) => [entry.id, ...entry.aliases]);
  return nearest({ word: id, candidates: built }) ?? nearest({ word: id, candidates: plannedFaults });
}

/** True for an id of the published catalog that this version cannot do yet. */
export function isPlannedFault(id: string): boolean {
  return findFault(id) === null && plannedFaults.includes(id);
}
