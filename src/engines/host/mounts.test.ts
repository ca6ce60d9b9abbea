import { describe, expect, it } from 'vitest';
import { parseMounts } from './mounts.js';

describe('the table of mounts', () => {
  it('is read with its optional fields, and with escaped paths', () => {
    const text = [
      '27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
      '222 27 0:4 net:[4026532635] /var/lib/my\\040pins/net rw - nsfs nsfs rw',
      '',
    ].join('\n');
    expect(parseMounts(text)).toEqual([
      { root: '/', point: '/', type: 'ext4', shared: true },
      { root: 'net:[4026532635]', point: '/var/lib/my pins/net', type: 'nsfs', shared: false },
    ]);
  });
});
