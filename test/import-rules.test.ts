import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Which rooms a room may import beside itself; a path names a part of a room, `type:` allows type imports only. Type imports count
 * as imports otherwise. Wiring may import everything.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[] | 'everything'>> = {
  model: [],
  source: ['model'],
  host: ['model'],
  faults: ['model'],
  documents: ['model', 'source', 'faults'],
  blueprint: ['model', 'source'],
  planner: ['model', 'faults', 'mechanisms/contracts', 'mechanisms/*/contract'],
  safety: ['model', 'faults', 'mechanisms/contracts', 'mechanisms/*/contract'],
  verdict: ['model'],
  // Activities are called by name: a workflow knows their types and never loads them.
  workflows: ['model', 'planner', 'type:activities'],
  activities: [
    'model',
    'host',
    'agent/agent-client',
    'mechanisms/contracts',
    'evidence',
    'faults',
    'probes',
    'engines',
    'planner',
    'safety',
    'topology',
    'verdict',
  ],
  probes: ['model', 'engines'],
  engines: ['model'],
  topology: ['model', 'blueprint', 'engines'],
  mechanisms: ['model', 'engines'],
  agent: ['model', 'host', 'mechanisms', 'engines'],
  // Checking a run recomputes its verdict from the rows.
  evidence: ['model', 'verdict'],
  report: ['model', 'verdict'],
  stack: ['model', 'host'],
  worker: 'everything',
  cli: 'everything',
};

/** Files that only re-export because something outside wants one entry: the bundle of the workflows. */
const ENTRIES: readonly string[] = ['workflows/index.ts'];

interface Import {
  readonly specifier: string;
  /** Erased by the compiler: `import type`. */
  readonly typeOnly: boolean;
}
interface SourceFile {
  /** Relative to src, with forward slashes. */
  readonly path: string;
  readonly isTest: boolean;
  readonly imports: readonly Import[];
  readonly exportsDefault: boolean;
  readonly isBarrel: boolean;
}

function readFile(path: string): SourceFile {
  const text = readFileSync(join(SRC, path), 'utf8');
  const { module, program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const startsWithType = (start: number) => /^(import|export)\s+type\b/.test(text.slice(start, start + 20));
  const fromImports = module.staticImports.map((statement) => ({
    specifier: statement.moduleRequest.value,
    typeOnly: startsWithType(statement.start),
  }));
  const fromExports = module.staticExports.flatMap((statement) =>
    statement.entries.flatMap((entry) =>
      entry.moduleRequest === null
        ? []
        : [{ specifier: entry.moduleRequest.value, typeOnly: startsWithType(statement.start) }],
    ),
  );
  // Dynamic imports, and import types such as import('./a.js').A.
  const written = [...text.matchAll(/\bimport\(\s*(['"])([^'"]+)\1\s*\)/g)].map((match) => ({
    specifier: match[2] as string,
    typeOnly: false,
  }));
  const statements = program.body.filter((statement) => statement.type !== 'ImportDeclaration');
  const reexports = statements.filter(
    (statement) =>
      statement.type === 'ExportAllDeclaration' ||
      (statement.type === 'ExportNamedDeclaration' && statement.declaration === null),
  );
  return {
    path,
    isTest: path.endsWith('.test.ts'),
    imports: [...fromImports, ...fromExports, ...written],
    exportsDefault: module.staticExports.some((s) => s.entries.some((entry) => entry.exportName.kind === 'Default')),
    isBarrel:
      /(^|\/)index\.ts$/.test(path) ||
      statements.some((statement) => statement.type === 'ExportAllDeclaration') ||
      (statements.length > 0 && reexports.length === statements.length),
  };
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map(readFile);
const code = files.filter((file) => !file.isTest);

/** The file of src that a relative import means, or null for a package. */
function targetOf(file: SourceFile, { specifier }: Import): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = resolve(SRC, dirname(file.path), specifier).replace(/\.js$/, '.ts');
  return relative(SRC, path).replaceAll('\\', '/');
}

function roomOf(path: string): string {
  return path.split('/')[0] as string;
}

function allows(rule: string, path: string, typeOnly: boolean): boolean {
  if (rule.startsWith('type:') && !typeOnly) return false;
  const pattern = rule
    .replace(/^type:/, '')
    .split('*')
    .map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'))
    .join('[^/]+');
  return new RegExp(`^${pattern}(/|\\.ts$|$)`).test(path);
}

function violationsOf(rooms: typeof MAY_IMPORT, among: readonly SourceFile[]): readonly string[] {
  return among.flatMap((file) => {
    const room = roomOf(file.path);
    const allowed = rooms[room];
    if (allowed === undefined) return [`${file.path} is in the unknown room ${room}`];
    if (allowed === 'everything') return [];
    return file.imports.flatMap((one) => {
      const target = targetOf(file, one);
      if (target === null || roomOf(target) === room) return [];
      return allowed.some((rule) => allows(rule, target, one.typeOnly)) ? [] : [`${file.path} imports ${target}`];
    });
  });
}

/** A package's name: `kysely` of `kysely/helpers/postgres`, `@temporalio/client` of itself. */
function packageOf({ specifier }: Import): string | null {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isBuiltin({ specifier }: Import): boolean {
  return specifier.startsWith('node:') || builtinModules.includes(specifier.split('/')[0] as string);
}

/** Everything under workflows/ and all it loads at run time. */
function workflowClosure(): readonly SourceFile[] {
  const byPath = new Map(code.map((file) => [file.path, file]));
  const seen = new Set(code.filter((file) => roomOf(file.path) === 'workflows').map((file) => file.path));
  for (const path of seen) {
    for (const one of byPath.get(path)?.imports ?? []) {
      const target =
        byPath.get(path) === undefined || one.typeOnly ? null : targetOf(byPath.get(path) as SourceFile, one);
      if (target !== null && byPath.has(target)) seen.add(target);
    }
  }
  return [...seen].map((path) => byPath.get(path) as SourceFile);
}

describe('the rooms of src', () => {
  it('import only what the table lets them', () => {
    expect(violationsOf(MAY_IMPORT, code)).toEqual([]);
  });

  it('would be told apart by the check: a planner that imports an engine is a violation', () => {
    const wrong = {
      ...(code[0] as SourceFile),
      path: 'planner/x.ts',
      imports: [{ specifier: '../engines/engine.js', typeOnly: true }],
    };
    expect(violationsOf(MAY_IMPORT, [wrong])).toEqual(['planner/x.ts imports engines/engine.ts']);
    const contract = { ...wrong, imports: [{ specifier: '../mechanisms/pause/contract.js', typeOnly: false }] };
    expect(violationsOf(MAY_IMPORT, [contract])).toEqual([]);
    const act = { ...wrong, imports: [{ specifier: '../mechanisms/pause/act.js', typeOnly: false }] };
    expect(violationsOf(MAY_IMPORT, [act])).toHaveLength(1);
  });

  it('keep Node builtins and zod out of workflows and of all that workflows load', () => {
    const bad = workflowClosure().flatMap((file) =>
      file.imports
        .filter((one) => !one.typeOnly && (isBuiltin(one) || packageOf(one) === 'zod'))
        .map((one) => `${file.path} imports ${one.specifier}`),
    );
    expect(bad).toEqual([]);
  });

  it('keep SQL in the evidence room', () => {
    const bad = code.flatMap((file) =>
      roomOf(file.path) === 'evidence'
        ? []
        : file.imports
            .filter((one) => ['pg', 'kysely'].includes(packageOf(one) ?? ''))
            .map((one) => `${file.path} imports ${one.specifier}`),
    );
    expect(bad).toEqual([]);
  });

  it('have no default exports', () => {
    expect(code.filter((file) => file.exportsDefault).map((file) => file.path)).toEqual([]);
  });

  it('have no barrel files', () => {
    expect(files.filter((file) => file.isBarrel && !ENTRIES.includes(file.path)).map((file) => file.path)).toEqual([]);
  });
});
