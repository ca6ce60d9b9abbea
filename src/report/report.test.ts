import { describe, expect, test } from 'vitest';
import { at } from '../../test/run-fixture.js';
import type { EventKind } from '../model/event.js';
import type { JsonObject } from '../model/json.js';
import type { RunResult } from '../model/run.js';
import { eventLine } from './event-line.js';
import { historyTable } from './history.js';
import { leasesTable } from './leases.js';
import { runsTable } from './runs.js';
import { faultsText, summary } from './summary.js';

const PASS: RunResult = {
  run_id: 'r-process-drill-8f2a1c00',
  plan_digest: 'd'.repeat(64),
  status: 'completed',
  verdict: 'pass',
  reasons: [],
  criteria: [
    { type: 'status', source: 'api-up.status', passed: true, expected: '200', measured: '200' },
    { type: 'latency', source: 'api-up.latency_ms', passed: true, expected: '<= 500.0', measured: '31.2' },
  ],
  faults: [1, 2].map((number) => ({
    step_id: `api-000${number}`,
    fault: 'container.pause',
    target: 'shop-api-1',
    lease_id: `l-${number}`,
    injection: 'confirmed',
    undo: 'restored',
    released_by: 'workflow',
    injected_at: at(0),
    undone_at: at(10_000),
    inject_ms: 20,
    undo_ms: 41,
  })),
  observations: { collected: 2, planned: 2 },
  wall_s: 32.4,
  problem: null,
};

describe('the summary', () => {
  test('of a passed run says so, in order', () => {
    expect(summary({ result: PASS, decisionRefs: 5 })).toBe(`# Run r-process-drill-8f2a1c00
**status**: completed
**verdict**: pass
**success criteria**: ALL PASS
- [PASS] status:api-up.status PASS (expected 200, got 200)
- [PASS] latency:api-up.latency_ms PASS (31.2 <= 500.0)
**faults**: 2/2 confirmed, 2/2 undone (2 restored)
**observations**: 2/2 sources collected
**decisions**: 5 governing decision revisions (snapshot in the run row)
**wall**: 32.4s

run r-process-drill-8f2a1c00 — inspect with \`mayhem inspect history r-process-drill-8f2a1c00\`
`);
  });

  test('of a failed run gives the reasons, the failing and the missing criterion, and the dirty lease', () => {
    const [first, second] = PASS.faults;
    const result: RunResult = {
      ...PASS,
      status: 'failed',
      verdict: 'fail',
      reasons: [{ code: 'residue', message: 'container.pause on shop-api-1: its undo was not proven' }],
      criteria: [
        { type: 'status', source: 'api-up.status', passed: false, expected: '200', measured: '503' },
        { type: 'boolean', source: 'web.passed', passed: null, expected: 'true', measured: null },
      ],
      faults: [
        first as RunResult['faults'][0],
        { ...(second as RunResult['faults'][0]), injection: 'ended_early', undo: 'unproven' },
      ],
      problem: { code: 'undo.unproven', message: 'gave up after 300 s' },
    };
    const lines = summary({ result, decisionRefs: 2 }).split('\n');
    expect(lines.slice(1, 12)).toEqual([
      '**status**: failed',
      '**problem**: undo.unproven: gave up after 300 s',
      '**verdict**: fail',
      '- container.pause on shop-api-1: its undo was not proven',
      '**success criteria**: 0/2 PASS',
      '- [FAIL] status:api-up.status FAIL (expected 200, got 503)',
      '- [MISSING] boolean:web.passed MISSING (expected true, not observed)',
      '**faults**: 1/2 confirmed (1 ended_early), 1/2 undone (1 restored, 1 unproven)',
      '**observations**: 2/2 sources collected',
      '**decisions**: 2 governing decision revisions (snapshot in the run row)',
      '**warning**: 1 dirty lease l-2 (mayhem recover r-process-drill-8f2a1c00)',
    ]);
    expect(summary({ result, decisionRefs: 2, dirtyLeases: [] })).not.toContain('**warning**');
  });

  test('names the faults that stay in force on purpose, and how to end them', () => {
    const [first, second] = PASS.faults as [RunResult['faults'][0], RunResult['faults'][0]];
    const result = { ...PASS, faults: [first, { ...second, undo: 'kept_faulted' as const, undone_at: null }] };
    const lines = summary({ result, decisionRefs: 5 }).split('\n');
    expect(lines.slice(6, 8)).toEqual([
      '**faults**: 2/2 confirmed, 2/2 undone (1 restored, 1 kept_faulted)',
      '**kept in force**: container.pause on shop-api-1 (mayhem recover r-process-drill-8f2a1c00)',
    ]);
  });

  test('colours only through the palette it is given', () => {
    const mark = (colour: string) => (text: string) => `<${colour}>${text}</${colour}>`;
    const palette = {
      red: mark('red'),
      green: mark('green'),
      yellow: mark('yellow'),
      bold: mark('b'),
      dim: mark('dim'),
    };
    const text = summary({ result: PASS, decisionRefs: 5, palette });
    expect(text).toContain('<b>**verdict**</b>: <green>pass</green>');
    expect(text).toContain('- <green>[PASS]</green> status');
  });

  test('shows control characters in what others wrote as what they are', () => {
    const result: RunResult = {
      ...PASS,
      verdict: 'undecided',
      reasons: [{ code: 'aborted', message: 'a\u001b[2Jb\nc\u202ed' }],
    };
    expect(summary({ result, decisionRefs: 0 })).toContain('- a\uFFFD[2Jb c\uFFFDd\n');
  });

  test('counts faults that never reached their target apart from those undone', () => {
    const [fault] = PASS.faults;
    const bypassed = { ...(fault as RunResult['faults'][0]), injection: 'not_started' as const, undo: 'none' as const };
    expect(faultsText([bypassed])).toBe('0/1 confirmed (1 not_started), 0/0 undone');
  });
});

describe('the line of an event', () => {
  const line = (kind: EventKind, payload: JsonObject): string | null => eventLine({ event: { kind, payload } });
  const fault = { lease_id: 'l-1', step_id: 'api-0001', fault: 'container.pause', target: 'shop-catalog-api-1' };

  test.each<[EventKind, JsonObject, string | null]>([
    [
      'fault.injected',
      { ...fault, duration_ms: 10_000, outcome: 'confirmed' },
      '[ok] injected container.pause 10s into shop-catalog-api-1',
    ],
    [
      'fault.injected',
      { ...fault, duration_ms: 10_000, outcome: 'not_observed' },
      '[!!] injected container.pause 10s into shop-catalog-api-1, but not observed',
    ],
    [
      'fault.recovered',
      { ...fault, outcome: 'restored', undo_ms: 41.2, released_by: 'workflow' },
      '[ok] recovered container.pause on shop-catalog-api-1 (restored, 41 ms)',
    ],
    [
      'fault.recovered',
      { ...fault, outcome: 'restored', undo_ms: 41.2, released_by: 'agent' },
      '[ok] recovered container.pause on shop-catalog-api-1 (restored, 41 ms, by agent)',
    ],
    [
      'fault.failed',
      { ...fault, outcome: 'residue', undo_ms: 5, released_by: 'workflow', problem: 'still paused' },
      '[!!] not undone: container.pause on shop-catalog-api-1 (residue, 5 ms): still paused',
    ],
    [
      'check.evaluated',
      { check_id: 'api-up', passed: true, sample: { status: 200, latency_ms: 31.23, error: null } },
      '[ok] check api-up passed (200, 31.2 ms)',
    ],
    [
      'safety.refused',
      { problem: { code: 'lease.conflict', message: 'shop-api-1 is held by run r-1' } },
      '[!!] refused: shop-api-1 is held by run r-1',
    ],
    ['run.completed', { verdict: 'pass' }, '[ok] completed, verdict pass'],
    ['samples.recorded', { samples: 5 }, null],
    ['run.started', {}, '[--] started, plan ?'],
  ])('%s', (kind, payload, text) => {
    expect(line(kind, payload)).toBe(text);
  });

  test('of an event not worth one is there when every event is asked for', () => {
    expect(eventLine({ event: { kind: 'samples.recorded', payload: { samples: 5 } }, everyEvent: true })).toBe(
      '[--] 5 samples recorded',
    );
  });
});

describe('tables', () => {
  test('of history are aligned and leave samples out unless asked', () => {
    const event = (seq: number, kind: EventKind, payload: JsonObject) => ({
      run_id: 'r-1',
      seq,
      kind,
      at: at(seq),
      recorded_at: at(seq),
      payload,
      prev_hash: '',
      hash: '',
    });
    const events = [event(9, 'samples.recorded', { samples: 2 }), event(10, 'run.aborted', { verdict: 'undecided' })];
    expect(historyTable({ events })).toBe(`SEQ  TIME                     EVENT        WHAT
10   2026-03-01 10:00:00.010  run.aborted  aborted, verdict undecided`);
    expect(historyTable({ events, everyEvent: true }).split('\n')).toHaveLength(3);
  });

  test('of leases and runs show a dash where there is nothing', () => {
    const lease = {
      lease_id: 'l-1',
      run_id: 'r-1',
      fault: 'container.pause',
      target_name: 'shop-api-1',
      state: 'active',
      deadline: at(0),
      outcome: null,
      released_by: null,
      undo: 'pause',
    };
    expect(
      leasesTable([lease]),
    ).toBe(`LEASE  RUN  FAULT            TARGET      STATE   DEADLINE             UNDO   OUTCOME  RELEASED BY
l-1    r-1  container.pause  shop-api-1  active  2026-03-01 10:00:00  pause  -        -`);
    const run = {
      run_id: 'r-1',
      status: 'running',
      verdict: null,
      created_at: at(0),
      started_at: null,
      ended_at: null,
    };
    expect(
      runsTable([run, { ...run, status: 'completed', verdict: 'pass', ended_at: at(32_400) }]),
    ).toBe(`RUN  STATUS     VERDICT  CREATED              WALL
r-1  running    -        2026-03-01 10:00:00  -
r-1  completed  pass     2026-03-01 10:00:00  32.4s`);
    expect([leasesTable([]), runsTable([])]).toEqual(['no leases', 'no runs']);
  });
});
