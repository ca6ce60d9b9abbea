// Compiles src/ to dist/, prebuilds the workflow bundle, and packs the command line into few files: a worker starts in a fifth of
// the time, and a command does not spend most of its own loading hundreds of small files.
import { spawnSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// Beside the old one, which stays in use until the new one is whole.
const fresh = join(root, 'dist-new');
rmSync(fresh, { recursive: true, force: true });
const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', fresh], {
  cwd: root,
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

async function bundleWorkflows() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({ workflowsPath: join(fresh, 'workflows/index.js'), logger: quiet });
  writeFileSync(join(fresh, 'workflow-bundle.js'), code);
}

/** `dist/program/main.js` and its chunks: what bin/mayhem runs. Depth below the root is that of dist/<room>/, on which relative paths rely. */
async function bundleProgram() {
  const { build } = await import('rolldown');
  await build({
    input: { main: join(fresh, 'cli/main.js') },
    platform: 'node',
    // The SDK is native code with files beside it; ssh2 has an optional native part.
    external: [/^@temporalio\//, /^ssh2$/, /^pg-native$/],
    plugins: [withoutBuildkit],
    logLevel: 'warn',
    output: { dir: join(fresh, 'program'), format: 'esm', chunkFileNames: '[name]-[hash].js' },
  });
}

/** dockerode loads gRPC for BuildKit sessions, which Mayhem never opens: half of its loading time. */
const withoutBuildkit = {
  name: 'without-buildkit',
  /** @param {string} source @param {string | undefined} importer */
  resolveId(source, importer) {
    const unused = source === '@grpc/grpc-js' || source === '@grpc/proto-loader';
    return unused && importer?.includes('dockerode') ? '\0unused' : null;
  },
  /** @param {string} id */
  load(id) {
    return id === '\0unused' ? 'module.exports = {};' : null;
  },
};

await Promise.all([bundleWorkflows(), bundleProgram()]);
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(fresh, join(root, 'dist'));
