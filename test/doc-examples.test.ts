import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { configKeys } from '../src/documents/config-keys.js';
import { loadConfig } from '../src/documents/load-config.js';
import { loadDrill } from '../src/documents/load-drill.js';
import { namedPolicies } from '../src/documents/named-policies.js';
import { catalog } from '../src/faults/catalog.js';
import type { Blueprint } from '../src/model/blueprint.js';
import { compilePlan } from '../src/planner/compile-plan.js';

const page = (name: string) => readFileSync(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8');
const examplesOf = (text: string) =>
  [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1] as string);
/** First cells of the rows of all tables, without marks. */
const firstCells = (text: string) =>
  [...text.matchAll(/^\| `([^|]+)` \|/gm)].map((match) => (match[1] as string).replaceAll('`', ''));

async function configOf(text: string) {
  const dir = mkdtempSync(join(tmpdir(), 'mayhem-doc-'));
  try {
    writeFileSync(join(dir, 'mayhem.yaml'), text);
    return await loadConfig({ cwd: dir, file: null, profile: null, set: [], env: {} });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A stack that has every container a drill names. */
function stackFor(names: readonly string[]): Blueprint {
  return {
    kind: 'compose',
    services: names.map((name) => ({
      name,
      container_name: null,
      image: null,
      ports: [],
      expose: [],
      depends_on: [],
      labels: {},
      network_mode: null,
      other: {},
    })),
  };
}

describe('docs/drill-spec.md', () => {
  const text = page('drill-spec.md');
  const examples = examplesOf(text);

  it('has examples that are read without a notice, and planned without a warning', async () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const example of examples) {
      const { drill, notices } = await loadDrill({ file: 'docs/drill-spec.md', text: example });
      expect(notices).toEqual([]);
      const { config } = await configOf('apiVersion: mayhem/v1\n');
      const blueprint = stackFor(drill.containers.map(({ name }) => name));
      expect(compilePlan({ drill, blueprint, policy: config.policy, catalog }).notices).toEqual([]);
    }
  });

  it('gives the ids of the steps that its example has', async () => {
    const example = examples.find((one) => one.includes('name: blocks')) as string;
    const { drill } = await loadDrill({ file: 'docs/drill-spec.md', text: example });
    const { config } = await configOf('apiVersion: mayhem/v1\n');
    const blueprint = stackFor(drill.containers.map(({ name }) => name));
    const { plan } = compilePlan({ drill, blueprint, policy: config.policy, catalog });
    const written = /the drill above has ([\s\S]*?)\.\n/.exec(text)?.[1]?.match(/`([^`]+)`/g);
    expect(written?.map((id) => id.slice(1, -1))).toEqual(plan.steps.map((step) => step.step_id));
  });

  it('lists every fault that is built, and no other', () => {
    const rows = [...text.matchAll(/^\| `([a-z0-9]+\.[a-z_]+)` \| ([^|]+) \| (\w+) \| (\d+) s \|/gm)];
    expect(rows.map(([, id, effect, risk, cap]) => ({ id, effect, risk, cap: Number(cap) }))).toEqual(
      catalog.map(({ id, effect, risk, capMs }) => ({ id, effect, risk, cap: capMs / 1000 })),
    );
  });
});

describe('docs/config.md', () => {
  const text = page('config.md');

  it('has examples that are read without a notice', async () => {
    const examples = examplesOf(text);
    expect(examples.length).toBeGreaterThanOrEqual(2);
    for (const example of examples) expect((await configOf(example)).notices).toEqual([]);
  });

  it('names every key of the configuration', () => {
    const missing = configKeys.filter(({ key }) => !text.includes(`\`${key}\``));
    expect(missing.map(({ key }) => key)).toEqual([]);
  });

  it('has a row for every named policy with its values', () => {
    for (const [name, { values, environments }] of Object.entries(namedPolicies)) {
      const cells = [
        `\`${name}\``,
        values['policy.risk_ceiling'] ?? '–',
        `${String(values['blast_radius.max_services_pct'])} %`,
        values['blast_radius.max_hosts'],
        values['blast_radius.max_concurrent_faults'],
        values['blast_radius.max_duration_per_fault_s'],
        environments?.join(', ') ?? 'any',
      ];
      expect(text).toContain(`| ${cells.join(' | ')} |`);
    }
    expect(firstCells(text)).toEqual(expect.arrayContaining(Object.keys(namedPolicies)));
  });
});
