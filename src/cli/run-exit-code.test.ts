import { describe, expect, it } from 'vitest';
import type { FaultResult, Reason, RunResult } from '../model/run.js';
import { runExitCode } from './run-exit-code.js';

const PASSED: RunResult = {
  run_id: 'r-x-00000000',
  plan_digest: '',
  status: 'completed',
  verdict: 'pass',
  reasons: [],
  criteria: [],
  faults: [],
  observations: { collected: 1, planned: 1 },
  wall_s: 1,
  problem: null,
};
const codeOf = (change: Partial<RunResult>, dirtyLeases = 0, requirePass = false) =>
  runExitCode({ result: { ...PASSED, ...change }, dirtyLeases, requirePass });
const reason = (code: Reason['code']): Reason => ({ code, message: '' });
const residue = { undo: 'residue' } as FaultResult;
const problem = (code: string) => ({ status: 'failed', verdict: 'undecided', problem: { code, message: '' } }) as const;

describe('the exit code of a run', () => {
  it('is 0 for pass', () => {
    expect(codeOf({})).toBe(0);
  });

  it('is 0 for undecided only for want of a success block, unless a pass is required', () => {
    const undecided = { verdict: 'undecided', reasons: [reason('no_success_block')] } as const;
    expect(codeOf(undecided)).toBe(0);
    expect(codeOf(undecided, 0, true)).toBe(6);
  });

  it('is 6 for every other undecided, for fail, failed and aborted', () => {
    expect(codeOf({ verdict: 'undecided', reasons: [reason('no_success_block'), reason('not_observed')] })).toBe(6);
    expect(codeOf({ verdict: 'undecided', reasons: [] })).toBe(6);
    expect(codeOf({ verdict: 'fail' })).toBe(6);
    expect(codeOf({ status: 'failed' })).toBe(6);
    expect(codeOf({ status: 'aborted', verdict: 'undecided', reasons: [reason('aborted')] })).toBe(6);
  });

  it('is that of the problem that ended the run', () => {
    expect(codeOf(problem('lease.conflict'))).toBe(5);
    expect(codeOf(problem('target.missing'))).toBe(4);
    expect(codeOf(problem('agent.unreachable'))).toBe(8);
    expect(codeOf(problem('engine.unreachable'))).toBe(9);
    expect(codeOf(problem('internal.failed'))).toBe(6);
    expect(codeOf(problem('aborted'))).toBe(6);
  });

  it('is 7 before all others when the end of a fault is not proven', () => {
    expect(codeOf({ faults: [residue] })).toBe(7);
    expect(codeOf({}, 1)).toBe(7);
    expect(codeOf({ ...problem('engine.unreachable'), faults: [residue] })).toBe(7);
  });
});
