import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from './run-tool.js';

const node = (code: string) => ({ program: process.execPath, args: ['-e', code], withinMs: 10_000 });
const signal = new AbortController().signal;

describe('a tool of the host', () => {
  it('is given its input and answers with its output and exit code', async () => {
    const code =
      "process.stdin.on('data', (d) => process.stdout.write(d)).on('end', () => { console.error('e'); process.exit(3) })";
    expect(await runTool({ ...node(code), stdin: 'hello', signal })).toEqual({
      code: 3,
      stdout: 'hello',
      stderr: 'e\n',
    });
  });

  it('is missing, said as such', async () => {
    const wrong = runTool({ program: '/no/such/tool', args: [], withinMs: 1_000, signal });
    await expect(wrong).rejects.toMatchObject({ code: 'tool.missing' });
  });

  it('is dead when its time is over or its call is called off', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mayhem-tool-'));
    const forever = (name: string) => {
      const file = JSON.stringify(join(folder, name));
      return node(
        `const fs = require('fs'); fs.writeFileSync(${file} + '.part', String(process.pid)); fs.renameSync(${file} + '.part', ${file}); setInterval(() => {}, 1000)`,
      );
    };
    const isDead = (name: string) => !existsSync(`/proc/${readFileSync(join(folder, name), 'utf8')}`);

    await expect(runTool({ ...forever('late'), withinMs: 1_500, signal })).rejects.toThrow(
      'did not end within 1500 ms',
    );
    expect(isDead('late')).toBe(true);

    const abort = new AbortController();
    const cut = runTool({ ...forever('cut'), signal: abort.signal });
    const watcher = watch(folder, () => existsSync(join(folder, 'cut')) && abort.abort(new Error('enough')));
    await expect(cut).rejects.toThrow('was cut off');
    expect(isDead('cut')).toBe(true);
    await expect(runTool({ ...node('1'), signal: abort.signal })).rejects.toThrow('was not started');
    watcher.close();
    rmSync(folder, { recursive: true });
  });
});
