import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { locateDemoHome, makeDemoHome, removeDemoHome, typed } from './home.mjs';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mayhem-demo-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the demo has a state folder of its own, which for root is not below its closed home folder', () => {
  expect(locateDemoHome({ env: {}, uid: 0 })).toEqual({ path: '/var/lib/mayhem-demo', own: true });
  const user = locateDemoHome({ env: { XDG_STATE_HOME: folder }, uid: 1000 });
  expect(user).toEqual({ path: join(folder, 'mayhem-demo'), own: true });
});

test('a state folder that is a relative path in XDG_STATE_HOME is ignored, as its specification asks', () => {
  expect(locateDemoHome({ env: { XDG_STATE_HOME: 'state' }, uid: 1000 }).path).toMatch(
    /\/\.local\/state\/mayhem-demo$/,
  );
});

test('a state folder that the user named is used, and is there after the demo', () => {
  const home = locateDemoHome({ env: { MAYHEM_HOME: join(folder, 'mine') }, uid: 0 });
  makeDemoHome(home);
  expect(home).toEqual({ path: join(folder, 'mine'), own: false });
  expect(removeDemoHome(home).line).toContain('kept');
  expect(existsSync(home.path)).toBe(true);
});

test("the demo's own folder is made with all above it, and removed with all in it", () => {
  const home = locateDemoHome({ env: { XDG_STATE_HOME: join(folder, 'a', 'b') }, uid: 1000 });
  makeDemoHome(home);
  mkdirSync(join(home.path, 'logs'));
  expect(removeDemoHome(home)).toEqual({ ok: true, line: `state folder ${home.path} removed` });
  expect(existsSync(home.path)).toBe(false);
  expect(existsSync(join(folder, 'a', 'b'))).toBe(true);
});

test('a folder that cannot be made is said with what to do, at once', () => {
  expect(() => makeDemoHome({ path: '/proc/none/mayhem-demo', own: true })).toThrow(/cannot be made/);
});

test('the commands to type name the folder, in quotes where a shell needs them', () => {
  expect(typed({ path: '/var/lib/mayhem-demo', own: true }, 'status')).toBe(
    'MAYHEM_HOME=/var/lib/mayhem-demo node bin/mayhem status',
  );
  expect(typed({ path: "/a b/it's", own: false }, 'down')).toBe("MAYHEM_HOME='/a b/it'\\''s' node bin/mayhem down");
});
