import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './mayhem-command.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
};

const folder = temporaryFolder();
afterAll(() => folder.remove());

const npm = (args: readonly string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', timeout: 170_000, stdio: ['ignore', 'pipe', 'pipe'] });

/** Packs what is built: building anew here would take it from under the tests that run beside this one. */
function pack(): { readonly archive: string; readonly paths: readonly string[] } {
  const answer = npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path], ROOT);
  const [packed] = JSON.parse(answer) as { filename: string; files: { path: string }[] }[];
  if (packed === undefined) throw new Error(`npm pack packed nothing: ${answer}`);
  return { archive: join(folder.path, packed.filename), paths: packed.files.map(({ path }) => path) };
}

const { archive, paths } = pack();

describe('the package', () => {
  it('holds what runs, what is read, and the licence', () => {
    const wanted = [
      ...Object.values(manifest.bin),
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      'dist/program/main.js',
      'dist/workflow-bundle.js',
      'docs/reference/cli.md',
      'examples/shop/drill.yaml',
      ...readdirSync(join(ROOT, 'migrations')).map((name) => `migrations/${name}`),
      ...readdirSync(join(ROOT, 'toolkit')).map((name) => `toolkit/${name}`),
    ];
    expect(wanted.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('holds nothing that only building and testing it needs', () => {
    const foreign = paths.filter(
      (path) =>
        /(^|\/)(test|src|node_modules)\/|\.test\.|\.ts$|\.map$|tsconfig|package-lock/.test(path) && !isText(path),
    );
    expect(foreign).toEqual([]);
    expect(paths.filter((path) => /^(scripts|bench|test|src)\//.test(path))).toEqual([]);
  });

  it('is built anew before it is packed', () => {
    expect(manifest.scripts['prepack']).toBe(manifest.scripts['build']);
  });
});

/** Pages may speak of anything. */
const isText = (path: string) => path.endsWith('.md');

describe('installed in an empty folder', () => {
  it('knows its version and validates a drill', { timeout: 180_000 }, () => {
    const cwd = join(folder.path, 'empty');
    mkdirSync(cwd);
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev', archive], cwd);
    writeFileSync(join(cwd, 'docker-compose.yml'), 'services:\n  web: {image: nginx}\n  api: {image: nginx}\n');
    writeFileSync(
      join(cwd, 'drill.yaml'),
      [
        'apiVersion: mayhem/v1',
        'kind: drill',
        'name: first',
        'hypothesis: web does not need api',
        'containers:',
        '  api: {faults: [{fault: container.pause, duration: 5s}]}',
        'execution: [{check: [{id: up, http: "http://127.0.0.1:9/"}]}, {sequential: [api]}]',
        'success: {criteria: [{type: status, source_id: up.status, expected: 200}]}',
        '',
      ].join('\n'),
    );
    const mayhem = (...args: string[]) =>
      execFileSync(join(cwd, 'node_modules', '.bin', 'mayhem'), args, {
        cwd,
        encoding: 'utf8',
        timeout: 30_000,
        env: { PATH: process.env.PATH, HOME: cwd, MAYHEM_HOME: join(cwd, 'home') },
      });
    expect(mayhem('--version')).toBe(`${manifest.version}\n`);
    expect(mayhem('prepare', 'validate', 'drill.yaml')).toContain('valid: first');
    expect(readdirSync(cwd)).not.toContain('home');
  });
});
