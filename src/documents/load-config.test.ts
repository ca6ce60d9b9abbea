import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MayhemErrors } from '../model/error.js';
import { type LoadConfigOptions, loadConfig } from './load-config.js';

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'mayhem-config-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(cwd, name), text);
const load = (options: Partial<LoadConfigOptions> = {}) =>
  loadConfig({ cwd, file: null, profile: null, set: [], env: {}, ...options });
const originOf = (loaded: Awaited<ReturnType<typeof load>>, key: string) =>
  loaded.origins.find((o) => o.key === key)?.origin;

async function errorsOf(options: Partial<LoadConfigOptions> = {}): Promise<readonly string[]> {
  try {
    await load(options);
  } catch (error) {
    if (!(error instanceof MayhemErrors)) throw error;
    return error.errors.map(
      ({ place, code, message }) => `${place === undefined ? '' : `${place.line}:${place.column} `}${code} ${message}`,
    );
  }
  return [];
}

const HEAD = 'apiVersion: mayhem/v1\n';

describe('the configuration', () => {
  it('is all defaults where nothing is configured', async () => {
    const loaded = await load();
    expect(loaded.config).toEqual({
      policy: {
        allow_faults: null,
        deny_faults: [],
        risk_ceiling: null,
        allow_critical: false,
        critical_fault_acks: [],
        max_services_pct: 50,
        max_hosts: 2,
        max_concurrent_faults: 3,
        max_duration_per_fault_s: 300,
      },
      database_url: null,
      temporal: { address: null, namespace: 'default', task_queue: 'mayhem' },
      agent_grace_ms: 2000,
      recovery_grace_ms: 300_000,
      log_level: 'INFO',
      protect: { labels: ['mayhem.protect=true'], names: [], projects: [] },
    });
    expect(new Set(loaded.origins.map(({ origin }) => origin))).toEqual(new Set(['default']));
    expect(loaded.notices).toEqual([]);
  });

  it('takes each value from the last of defaults, file, profile, environment and flags', async () => {
    await write(
      'mayhem.yaml',
      `${HEAD}log_level: DEBUG\nrecovery_grace: 60\nagent: {grace: 3s}\ntemporal:\n  address: file:1\n  namespace: file\n`,
    );
    await write('mayhem.ci.yaml', `${HEAD}recovery_grace: 1m30s\n`);
    const loaded = await load({
      profile: 'ci',
      env: { TEMPORAL_ADDRESS: 'env:1', MAYHEM_LOG_LEVEL: 'ERROR', MAYHEM_DATABASE_URL: 'postgres://u:p@ss@h/db' },
      set: ['log_level=WARNING', 'blast_radius.max_services_pct=75.5', 'policy.deny_faults=[container.pause]'],
    });
    expect(loaded.config).toMatchObject({
      log_level: 'WARNING',
      recovery_grace_ms: 90_000,
      agent_grace_ms: 3000,
      temporal: { address: 'env:1', namespace: 'file' },
      database_url: 'postgres://u:p@ss@h/db',
      policy: { max_services_pct: 75.5, deny_faults: ['container.pause'] },
    });
    expect(originOf(loaded, 'log_level')).toBe('--set');
    expect(originOf(loaded, 'recovery_grace')).toBe('mayhem.ci.yaml:2');
    expect(originOf(loaded, 'agent.grace')).toBe('mayhem.yaml:4');
    expect(originOf(loaded, 'temporal.address')).toBe('environment TEMPORAL_ADDRESS');
    expect(originOf(loaded, 'temporal.namespace')).toBe('mayhem.yaml:7');
    expect(loaded.origins.find(({ key }) => key === 'storage.database')?.value).toBe('postgres://u:***@h/db');
  });

  it('gives all its mistakes at once, each with its place', async () => {
    await write(
      'mayhem.yaml',
      'apiVersion: v2\npolcy: {}\nblast_radius:\n  max_services_pct: 0\n  max_hosts: true\nrecovery_grace: -1\nagent: {grace: 0}\nlog_level: info\n',
    );
    expect(await errorsOf()).toEqual([
      '1:1 config.invalid apiVersion must be mayhem/v1',
      '2:1 config.invalid unknown key "polcy"',
      '4:3 config.invalid blast_radius.max_services_pct: expected a number above 0 and at most 100, found 0',
      '5:3 config.invalid blast_radius.max_hosts: expected a whole number, found true',
      '6:1 config.invalid recovery_grace: expected a duration, found -1',
      '7:9 config.invalid agent.grace: expected a duration above zero, found 0',
      '8:1 config.invalid log_level: expected one of DEBUG, INFO, WARNING, ERROR, found "info"',
    ]);
  });

  it('needs its apiVersion', async () => {
    await write('mayhem.yaml', 'log_level: INFO\n');
    expect(await errorsOf()).toEqual(['1:1 config.invalid apiVersion is required']);
  });

  it('is missing with exit code 3 when it was asked for, also as overlay of a profile; the base of a profile may be absent', async () => {
    expect(await errorsOf({ file: 'nope.yaml' })).toEqual([expect.stringContaining('config.missing')]);
    expect(await errorsOf({ profile: 'ci' })).toEqual([expect.stringContaining('config.missing')]);
    await write('mayhem.ci.yaml', `${HEAD}log_level: ERROR\n`);
    expect((await load({ profile: 'ci' })).config.log_level).toBe('ERROR');
    expect(await errorsOf({ profile: '../ci' })).toEqual([expect.stringContaining('no name of a profile')]);
  });

  it('passes over a drill of the same name, and takes one given by --config as the drill to run', async () => {
    await write('mayhem.yaml', 'kind: drill\nname: x\n');
    const found = await load();
    expect(found.notices.map(({ message }) => message)).toEqual([
      'mayhem.yaml is a drill, not a configuration: passed over',
    ]);
    expect(found.spec).toBeNull();
    expect((await load({ file: 'mayhem.yaml' })).spec).toBe('mayhem.yaml');
  });

  it.each([
    ['storage.path=x', 'notice'],
    ['runtime=podman', 'warning'],
    ['kubernetes.context=x', 'warning'],
    ['maniac.level=3', 'warning'],
  ])('says that --set %s has no effect', async (set, level) => {
    expect((await load({ set: [set] })).notices.map((notice) => notice.level)).toEqual([level]);
  });

  it('refuses guards that are not built rather than running without them', async () => {
    await write('mayhem.yaml', `${HEAD}windows: {freeze: []}\nblast_radius: {forbidden_fault_pairs: [[a, b]]}\n`);
    const errors = await errorsOf();
    expect(errors).toHaveLength(2);
    for (const error of errors) expect(error).toContain('is not supported yet');
  });

  it('refuses faults in its lists that no catalog has, since a slip would allow what is meant to be forbidden', async () => {
    expect(await errorsOf({ set: ['policy.deny_faults=[container.puase, net.latency]'] })).toEqual([
      'config.invalid policy.deny_faults (--set): there is no fault "container.puase"',
    ]);
  });

  it.each([
    ['log_level', 'expected key.path=value'],
    ['log_levl=INFO', 'there is no key "log_levl"'],
    ['log_level=info', '--set: log_level: expected one of'],
    ['blast_radius.max_services_pct=101', 'at most 100'],
    ['policy.deny_faults=[', 'not valid YAML'],
  ])('refuses --set %s', async (set, message) => {
    const errors = await errorsOf({ set: [set] });
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('config.invalid');
    expect(errors[0]).toContain(message);
  });

  it('never shows the password of a database address that it refuses', async () => {
    const [error] = await errorsOf({ env: { MAYHEM_DATABASE_URL: 'mysql://u:secret@h' } });
    expect(error).toContain('config.invalid environment MAYHEM_DATABASE_URL');
    expect(error).not.toContain('secret');
  });
});

describe('a named policy', () => {
  it('sets its values, by flag before the environment', async () => {
    const loaded = await load({ policyName: 'strict', env: { MAYHEM_POLICY: 'permissive' } });
    expect(loaded.config.policy).toMatchObject({
      risk_ceiling: 'medium',
      max_services_pct: 25,
      max_hosts: 1,
      max_concurrent_faults: 1,
      max_duration_per_fault_s: 60,
    });
    expect(originOf(loaded, 'policy.risk_ceiling')).toBe('--policy strict');
    const permissive = await load({ env: { MAYHEM_POLICY: 'permissive' } });
    expect(permissive.config.policy).toMatchObject({ max_services_pct: 100, max_hosts: 10, max_concurrent_faults: 10 });
  });

  it('is refused when unknown, together with a policy section, or bound to an environment', async () => {
    expect(await errorsOf({ policyName: 'strcit' })).toEqual([expect.stringContaining('config.invalid')]);
    expect(await errorsOf({ policyName: 'constructor' })).toEqual([expect.stringContaining('config.invalid')]);
    expect(await errorsOf({ policyName: 'production' })).toEqual([expect.stringContaining('safety.refused')]);
    await write('mayhem.yaml', `${HEAD}policy: {allow_critical: false}\n`);
    expect(await errorsOf({ policyName: 'strict' })).toEqual([
      'config.invalid --policy strict together with a policy section of the configuration file',
    ]);
  });
});
