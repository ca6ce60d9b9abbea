import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { UndoRecord } from '../../model/lease.js';
import type { ActContext } from '../mechanism.js';
import { openTarget, within } from './target-network.js';

const context = { pins: '/no/such/folder' } as ActContext;
const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const hostInode = String(statSync('/proc/self/ns/net').ino);
const record = (recipe: UndoRecord['recipe']) => ({ lease: { lease_id: 'l-1' }, recipe }) as UndoRecord;

describe("a record's network", () => {
  it("is never the host's, whatever the record says", async () => {
    const forged = record({ netns: hostInode, boot_id: bootId, pid: process.pid });
    expect(await openTarget(context, forged)).toBeNull();
  });

  it('is gone when nothing holds it, and must be named by a number', async () => {
    expect(await openTarget(context, record({ netns: '1', boot_id: bootId, pid: process.pid }))).toBeNull();
    await expect(openTarget(context, record({ netns: '../net', boot_id: bootId }))).rejects.toThrow('names no network');
  });

  it('is closed again when the work in it fails', async () => {
    let isClosed = false;
    const inside = {
      inode: '1',
      run: () => Promise.reject(new Error('no')),
      close: async () => void (isClosed = true),
    };
    await expect(within(inside, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(isClosed).toBe(true);
  });
});
