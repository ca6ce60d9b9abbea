import { describe, expect, it } from 'vitest';
import type { UndoRecord } from '../../model/lease.js';
import { markOf, ruleNameOf, untilOf } from './mark.js';

const record = (installationId: string) =>
  ({ lease: { lease_id: 'l-0123456789abcdef' }, installation_id: installationId }) as UndoRecord;

describe('the mark of our rules', () => {
  it('names lease, installation and end, and tells the end again', () => {
    const mark = markOf({ record: record('install-1'), untilUptimeMs: 123_456 });
    expect(mark).toBe('mayhem lease=l-0123456789abcdef installation=install-1 until=123456');
    expect(untilOf(mark)).toBe(123_456);
    expect(untilOf(markOf({ record: record('i'), untilUptimeMs: null }))).toBeNull();
  });

  it('cannot break out of its quotes, nor be longer than nft takes', () => {
    const mark = markOf({ record: record(`x"; flush ruleset; ${'y'.repeat(200)}`), untilUptimeMs: 1e12 });
    expect(mark).not.toMatch(/["; ]{2}|"/);
    expect(mark.length).toBeLessThanOrEqual(128);
  });

  it('is in a table named after the lease, which a forged id cannot choose', () => {
    expect(ruleNameOf('l-0123456789abcdef')).toBe('mayhem_0123456789abcdef');
    for (const id of ['l-1 { }', 'l-', '1a', 'l-0123456789abcdef0', 'l-1a\n']) {
      expect(() => ruleNameOf(id)).toThrow('is no lease id');
    }
  });
});
