import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { homeAt, prepareHome } from './home.js';

// Node's own recursive mkdir never returns there.
it.runIf(existsSync('/proc/self'))('refuses a state folder that cannot be made, under /proc too', () => {
  expect(() => prepareHome(homeAt('/proc/mayhem-test/home'))).toThrow(
    expect.objectContaining({ code: 'stack.failed', message: expect.stringContaining('/proc/mayhem-test/home') }),
  );
});
