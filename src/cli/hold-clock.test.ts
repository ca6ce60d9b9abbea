import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../model/event.js';
import { HoldClock } from './hold-clock.js';

const event = (kind: RunEvent['kind'], lease: string, deadline = '2026-01-01T00:00:10.000Z') =>
  ({ kind, payload: { lease_id: lease, fault: 'container.pause', target: 'web', deadline } }) as unknown as RunEvent;
const at = (second: number) => Date.parse('2026-01-01T00:00:00.000Z') + second * 1000;

describe('the clock of what is in force', () => {
  it('counts down to the deadline, then says that the undo runs', () => {
    const clock = new HoldClock();
    expect(clock.remaining(at(0))).toBeNull();
    clock.see(event('fault.injected', 'l-1'));
    expect(clock.remaining(at(3.5))).toBe('container.pause on web: 7 s left');
    expect(clock.remaining(at(10))).toBe('container.pause on web: undoing');
  });

  it('forgets a fault once it is undone, or its undo has failed', () => {
    const clock = new HoldClock();
    clock.see(event('fault.injected', 'l-1'));
    clock.see(event('fault.injected', 'l-2'));
    clock.see(event('fault.recovered', 'l-1'));
    expect(clock.remaining(at(9))).toBe('container.pause on web: 1 s left');
    clock.see(event('fault.failed', 'l-2'));
    expect(clock.remaining(at(9))).toBeNull();
  });

  it('does not wait for the undo of a fault that is kept in force on purpose', () => {
    const clock = new HoldClock();
    clock.see(event('fault.injected', 'l-1'));
    const kept = event('lease.state_changed', 'l-1');
    clock.see({ ...kept, payload: { ...kept.payload, to: 'kept_faulted' } });
    expect(clock.remaining(at(12))).toBeNull();
  });
});
