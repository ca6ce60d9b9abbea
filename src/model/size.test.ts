import { describe, expect, it } from 'vitest';
import { parseSizeBytes } from './size.js';

describe('a byte size', () => {
  it.each([
    ['64M', 67_108_864],
    ['64Mi', 67_108_864],
    ['64MiB', 67_108_864],
    ['64MB', 64_000_000],
    ['1.5K', 1536],
    ['10', 10],
    [10, 10],
    ['2GB', 2_000_000_000],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSizeBytes(text)).toBe(bytes);
  });

  it.each(['64m', '64 M', '-1', '', 'M', '64Mib', '1e3', 1.5, '9999999999G', '5constructor'])('%s is none', (text) => {
    expect(parseSizeBytes(text)).toBeNull();
  });
});
