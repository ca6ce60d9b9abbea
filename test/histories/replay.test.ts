import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));
const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const histories = readdirSync(here).filter((name) => name.endsWith('.json'));

// Runs that were started by earlier versions of the workflow code must go on under this one.
it('has histories to replay', () => {
  expect(histories.length).toBeGreaterThan(0);
});

it.each(histories)('replays %s', async (name) => {
  const history = JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as object;
  await expect(Worker.runReplayHistory({ workflowBundle: { codePath: bundle } }, history)).resolves.toBeUndefined();
});
