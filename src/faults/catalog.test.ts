import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkFault } from './check-fault.js';
import { catalog, findFault, isPlannedFault, nearestFault } from './catalog.js';
import { plannedFaults } from './planned.js';

const PUBLISHED = fileURLToPath(new URL('../../../shared/catalog.tsv', import.meta.url));
const published = existsSync(PUBLISHED)
  ? readFileSync(PUBLISHED, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('id\t'))
      .map((line) => line.split('\t'))
  : null;
if (published === null) console.warn('SKIPPED: the published catalog is not beside the repository');

describe('the catalog', () => {
  it('has every id and alias once', () => {
    const names = catalog.flatMap((entry) => [entry.id, ...entry.aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => plannedFaults.includes(name))).toEqual([]);
  });

  it('has samples that its own checks accept', () => {
    for (const { id, sample } of catalog) {
      const { problems } = checkFault({ catalog, fault: id, durationMs: sample.durationMs, params: sample.params });
      expect(problems).toEqual([]);
    }
  });

  it('gives every fault an undo contract', () => {
    expect(catalog.filter((entry) => entry.undoOutcomes.length === 0)).toEqual([]);
  });

  it('finds faults by id and tells slips from faults that are not built yet', () => {
    expect(findFault('container.pause')?.mechanism).toBe('pause');
    expect(findFault('container.Pause')).toBeNull();
    expect(nearestFault('container.pase')).toBe('container.pause');
    expect(isPlannedFault('net.latency')).toBe(true);
    expect(isPlannedFault('process.pause')).toBe(true);
    expect(isPlannedFault('container.pause')).toBe(false);
    expect(isPlannedFault('no.such')).toBe(false);
  });

  it.skipIf(published === null)('agrees with the published one, and plans all the rest of it', () => {
    const rows = published ?? [];
    const unbuilt = rows.map(([id]) => id as string).filter((id) => findFault(id) === null);
    expect(unbuilt.filter((id) => !plannedFaults.includes(id))).toEqual([]);
    const built = rows.flatMap(([id, ...cells]) =>
      findFault(id as string) === null ? [] : [[id, ...cells.slice(0, 7)]],
    );
    expect(built).toEqual(
      catalog.map((entry) => [
        entry.id,
        entry.aliases.join(','),
        entry.lane,
        entry.category,
        entry.risk,
        String(entry.capMs / 1000),
        entry.kinds.join(','),
        entry.undoOutcomes.join(','),
      ]),
    );
  });
});
