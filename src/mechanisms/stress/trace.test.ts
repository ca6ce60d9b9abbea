import { describe, expect, it } from 'vitest';
import { parseTrace, ranFullTime } from './trace.js';

const WHOLE = 'boot b-1\nstarted 100.50 42\nended 108.51 0\n'.replace('boot b-1', 'boot 100.49 b-1');

describe('the trace of a stressor', () => {
  it('tells when it started and how it ended', () => {
    expect(parseTrace(WHOLE)).toEqual({
      boot_id: 'b-1',
      pid: 42,
      started_ms: 100_500,
      refused: null,
      target_ended_ms: null,
      ended_ms: 108_510,
      exit_code: 0,
    });
  });

  it('is read as far as it was written', () => {
    expect(parseTrace('')).toMatchObject({ boot_id: null, pid: null, ended_ms: null });
    expect(parseTrace('boot 100.49 b-1\nstarted 100.50 4')).toMatchObject({ boot_id: 'b-1', pid: null });
    expect(parseTrace('boot 1.00 b\nrefused 1.01 /a b/cgroup.procs\nended 1.02 1\n')).toMatchObject({
      refused: '/a b/cgroup.procs',
      exit_code: 1,
    });
  });

  it('says that the whole time was run only when it was', () => {
    const ran = (text: string) => ranFullTime(parseTrace(text), 8_000);
    expect(ran(WHOLE)).toBe(true);
    expect(ran(WHOLE.replace('108.51', '108.40'))).toBe(false);
    expect(ran(WHOLE.replace('108.51 0', '108.51 143'))).toBe(false);
    expect(ran(WHOLE.replace('ended', 'target_ended 108.50 \nended'))).toBe(false);
    expect(ran('boot 1.00 b\nstarted 1.00 42\n')).toBe(false);
  });
});
