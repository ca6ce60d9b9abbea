import { describe, expect, it } from 'vitest';
import type { ContainerState } from '../../engines/engine.js';
import type { LeaseSpec } from '../../model/lease.js';
import type { FirewallReading } from './backend.js';
import { type InjectedFacts, proveInjected, proveUndone, type UndoneFacts } from './proof.js';

const lease = { target: { container_id: 'c1', started_at: 't1' } } as LeaseSpec;
const state = { id: 'c1', startedAt: 't1', running: true, netns: '77' } as ContainerState;
const reading = (found: FirewallReading['state']): FirewallReading => ({ state: found, read: {} });

const injected = (given: Partial<InjectedFacts>) =>
  proveInjected({ lease, inode: '77', state, firewall: reading('live'), ...given }).outcome;
const undone = (given: Partial<UndoneFacts>) =>
  proveUndone({ lease, inode: '77', state, isPinLeft: false, inPinned: 'absent', inPresent: null, ...given }).outcome;

describe('the proof of a firewall fault', () => {
  it.each([
    ['live', 'confirmed'],
    ['expired', 'expired'],
    ['absent', 'not_observed'],
    ['damaged', 'not_observed'],
    ['altered', 'inconclusive'],
  ] as const)('says of %s rules: %s', (found, outcome) => {
    expect(injected({ firewall: reading(found) })).toBe(outcome);
  });

  it('counts live rules only where the target is', () => {
    expect(injected({ firewall: null })).toBe('not_observed');
    expect(injected({ state: null })).toBe('not_observed');
    expect(injected({ state: { ...state, startedAt: 't2' } })).toBe('not_observed');
    expect(injected({ state: { ...state, running: false } })).toBe('not_observed');
    expect(injected({ state: { ...state, netns: '78' } })).toBe('not_observed');
  });
});

describe('the proof of its undo', () => {
  it('says what became of the target, once nothing of ours is anywhere', () => {
    expect(undone({})).toBe('restored');
    expect(undone({ inPinned: null, state: { ...state, startedAt: 't2' }, inPresent: 'absent' })).toBe('replaced');
    expect(undone({ inPinned: null, state: null })).toBe('gone');
    expect(undone({ inPinned: null, state: { ...state, running: false } })).toBe('gone');
  });

  it('is residue while rules, even ended ones, or the pin are left', () => {
    expect(undone({ inPinned: 'live' })).toBe('residue');
    expect(undone({ inPinned: 'expired', state: null })).toBe('residue');
    expect(undone({ inPresent: 'live', state: { ...state, startedAt: 't2' } })).toBe('residue');
    expect(undone({ isPinLeft: true })).toBe('residue');
  });
});
