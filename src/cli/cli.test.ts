import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayhem, temporaryFolder } from '../../test/mayhem-command.js';
import { readVersion } from '../host/version.js';

const COMPOSE = `name: corner
services:
  web:
    image: corner/web:1
    ports: ["127.0.0.1:8080:80"]
    depends_on: [db]
  db:
    image: postgres:15
`;
const DRILL = `apiVersion: mayhem/v1
kind: drill
name: web-pause
hypothesis: the page comes back by itself
containers:
  web:
    faults:
      - {fault: container.pause, duration: 5s}
success:
  criteria:
    - {type: boolean, source_id: page.passed, value: true}
steady_state:
  - {id: page, probe: {type: http, url: "http://127.0.0.1:8080/"}, expect: {status: 200}}
`;

const ERROR_KEYS = ['code', 'message', 'exit_code', 'details', 'remediation', 'evidence_ref'];

const folder = temporaryFolder();
const cwd = folder.path;
const home = join(cwd, 'home');
/** No stack may be started by any of these: each fails before that, or needs none. */
const env = { MAYHEM_HOME: home };
const run = (...args: string[]) => mayhem(args, { cwd, env });

beforeAll(() => {
  writeFileSync(join(cwd, 'compose.yaml'), COMPOSE);
  writeFileSync(join(cwd, 'drill.yaml'), DRILL);
});
afterAll(() => folder.remove());

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Envelope {
  readonly status: string;
  readonly data: Record<string, unknown> | null;
  readonly warnings: readonly unknown[];
  readonly errors: readonly Record<string, unknown>[];
  readonly meta: Record<string, unknown>;
}

describe('what a command prints', () => {
  it('is the answer alone on stdout in text', async () => {
    const { code, stderr, stdout } = await run('validate', 'drill.yaml');
    expect(stdout).toMatch(/^valid: web-pause \(drill\.yaml\)\n1 fault in 1 step on 2 services\nplan [0-9a-f]{64}\n$/);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('is one envelope and nothing else in JSON, whether root options stand before or after the command', async () => {
    const before = await run('--json', 'prepare', 'validate', 'drill.yaml');
    const after = await run('prepare', 'validate', 'drill.yaml', '--format', 'json');
    const envelope = JSON.parse(before.stdout) as Envelope;
    const digest = envelope.data?.['plan_digest'];
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(envelope).toEqual({
      status: 'ok',
      schema_version: '1.0',
      data: { name: 'web-pause', file: 'drill.yaml', plan_digest: digest, faults: 1, steps: 1, services: 2 },
      warnings: [],
      errors: [],
      evidence_refs: [],
      meta: {
        command: 'prepare validate',
        version: readVersion(),
        exit_code: 0,
        duration_ms: envelope.meta['duration_ms'],
      },
    });
    expect((JSON.parse(after.stdout) as Envelope).data).toEqual(envelope.data);
    expect([before.stderr, after.stderr]).toEqual(['', '']);
  });

  it('carries warnings in the envelope, and on stderr in text', async () => {
    writeFileSync(join(cwd, 'bare.yaml'), DRILL.replace(/hypothesis.*\n/, ''));
    const text = await run('validate', 'bare.yaml');
    expect(text.stderr).toMatch(/^warning bare\.yaml:\d+:\d+: the drill has no hypothesis/);
    expect(text.code).toBe(0);
    const { warnings } = JSON.parse((await run('validate', 'bare.yaml', '--json')).stdout) as Envelope;
    expect(warnings).toMatchObject([{ level: 'warning', place: { file: 'bare.yaml' } }]);
  });

  it('has no colours and no escape sequences of a document in it', async () => {
    writeFileSync(join(cwd, 'evil.yaml'), DRILL.replace('web:', '"\\e[31mweb\\a":'));
    const { code, stderr } = await run('validate', 'evil.yaml');
    expect(code).toBe(4);
    // oxlint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('a plan', () => {
  it('is the same text on stdout, in the file of -o and in the envelope, with the digest that validate tells', async () => {
    const printed = await run('plan', 'drill.yaml');
    const written = await run('prepare', 'plan', 'drill.yaml', '-o', 'plan.json');
    const plan = JSON.parse(printed.stdout) as { digest: string; steps: unknown[] };
    expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).toBe(printed.stdout);
    expect(written.stdout).toBe(`plan ${plan.digest} written to plan.json\n`);
    const { data } = JSON.parse((await run('plan', 'drill.yaml', '--json')).stdout) as Envelope;
    expect(data?.['plan']).toEqual(plan);
    expect((await run('validate', 'drill.yaml')).stdout).toContain(`plan ${plan.digest}\n`);
  });

  it('that a gate refuses exits 5 at validate and run, and says so at plan', async () => {
    const refused = ['drill.yaml', '--set', 'policy.risk_ceiling=low'];
    for (const command of ['validate', 'run']) {
      const { code, stderr } = await run(command, ...refused);
      expect(stderr).toMatch(/^error\[safety\.refused\]: the plan is refused by risk_ceiling/);
      expect(code).toBe(5);
    }
    const plan = await run('plan', ...refused);
    expect(plan.stderr).toMatch(/^warning: a run would be refused by risk_ceiling/);
    expect(plan.code).toBe(0);
  });
});

describe('SPEC left out', () => {
  it('is mayhem.yaml beside the compose file', async () => {
    const inner = join(cwd, 'inner');
    mkdirSync(inner);
    writeFileSync(join(inner, 'compose.yaml'), COMPOSE);
    writeFileSync(join(inner, 'mayhem.yaml'), DRILL.replace('web-pause', 'beside'));
    const { code, stdout } = await run('validate', '-c', 'inner/compose.yaml');
    expect(stdout).toContain('valid: beside');
    expect(code).toBe(0);
  });

  it('is the drill given by --config', async () => {
    const { code, stdout } = await run('validate', '--config', 'drill.yaml');
    expect(stdout).toContain('valid: web-pause (drill.yaml)');
    expect(code).toBe(0);
  });

  it('and not found exits 4', async () => {
    const { code, stderr } = await run('validate');
    expect(stderr).toBe(
      'error[document.missing]: no drill was named and none was found\n' +
        '  hint: Name one (mayhem validate FILE), or write mayhem.yaml of kind drill in this folder.\n',
    );
    expect(code).toBe(4);
  });
});

describe('what goes wrong', () => {
  it.each([
    [['validate', 'nope.yaml'], 4, 'error[document.missing]: nope.yaml does not exist\n'],
    [
      ['validate', '--lenent', 'drill.yaml'],
      2,
      "error[usage.invalid]: unknown option '--lenent'\n  hint: Did you mean --lenient?\n",
    ],
    [['--bogus', 'x', 'run'], 2, "error[usage.invalid]: unknown option '--bogus'\n"],
    [['valdate'], 2, 'error[usage.invalid]: no command is called "valdate"\n  hint: Did you mean "validate"?\n'],
    [['validate', 'a', 'b'], 2, 'error[usage.invalid]: too many arguments'],
    [['attach'], 2, "error[usage.invalid]: missing required argument 'run'\n"],
    [['validate', '--format', 'xml'], 2, "error[usage.invalid]: option '--format <format>' argument 'xml' is invalid"],
    [['inspect'], 2, 'error[usage.invalid]: `mayhem inspect` needs one of its commands\n'],
    [['run', 'drill.yaml', '--wait', '5m'], 2, 'error[usage.invalid]: option --wait is not supported yet\n'],
    [['run', 'drill.yaml', '--dry-run'], 2, 'error[usage.invalid]: option --dry-run is not supported yet\n'],
    [['maniac'], 2, 'error[usage.invalid]: `mayhem maniac` is not supported yet\n'],
    [['stop'], 2, 'error[usage.invalid]: `mayhem stop` takes a run, or --all, or --lift: exactly one of them\n'],
    [['c'], 10, 'error[command.ambiguous]: "c" is ambiguous: campaign, commands, completion\n'],
    [['prepare', 'c'], 10, 'error[command.ambiguous]: "prepare c" is ambiguous: check, config\n'],
    [['validate', 'drill.yaml', '-c', 'none.yaml'], 4, 'error[blueprint.missing]'],
    [['validate', 'drill.yaml', '--config', 'none.yaml'], 3, 'error[config.missing]'],
    [['validate', 'drill.yaml', '--set', 'recovery_grace=-1'], 3, 'error[config.invalid]'],
  ] as const)('%j exits %i', async (args, code, message) => {
    const [text, json] = await Promise.all([run(...args), run(...args, '--json')]);
    expect(text.stderr).toContain(message);
    expect(text.stderr).not.toMatch(/^ {4}at /m);
    expect(text.stdout).toBe('');
    expect(text.code).toBe(code);
    const envelope = JSON.parse(json.stdout) as Envelope;
    expect(envelope).toMatchObject({ status: 'error', data: null, meta: { exit_code: code } });
    expect(envelope.errors[0]).toMatchObject({ code: /\[(.*?)\]/.exec(message)?.[1], exit_code: code });
    expect(Object.keys(envelope.errors[0] ?? {})).toEqual(ERROR_KEYS);
    expect([json.code, json.stderr]).toEqual([code, '']);
  });

  it('in a drill is told all at once, each with its place', async () => {
    const sixMistakes = DRILL.replace('duration: 5s', 'duration: 5parsecs')
      .replace('kind: drill\n', 'kind: drill\nhypotesis: x\n')
      .replace('value: true', 'value: perhaps')
      .replace('status: 200', 'status: 2000')
      .replace('  web:', '  wbe:')
      .replace('success:', 'sucess: {}\nsuccess:');
    writeFileSync(join(cwd, 'six.yaml'), sixMistakes);
    const { code, stderr } = await run('validate', 'six.yaml');
    const places = [...stderr.matchAll(/^error\[[a-z.]+\] six\.yaml:(\d+):\d+: /gm)].map(([, line]) => Number(line));
    expect(places.length).toBeGreaterThanOrEqual(6);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(code).toBe(4);
    const { errors } = JSON.parse((await run('validate', 'six.yaml', '--json')).stdout) as Envelope;
    expect(errors.length).toBe(places.length);
    expect(errors[0]).toMatchObject({ details: { place: { file: 'six.yaml', line: places[0] } } });
  });

  it('a stack trace is shown under --debug only', async () => {
    const { code, stderr } = await run('validate', 'nope.yaml', '--debug');
    expect(stderr).toMatch(/^ {4}at /m);
    expect(code).toBe(4);
  });
});

describe('what is not there', () => {
  it('a container engine: `run` exits 9 and starts nothing', async () => {
    const dead = { ...env, DOCKER_HOST: `unix://${cwd}/no-engine.sock` };
    const { code, stderr, stdout } = await mayhem(['run', 'drill.yaml'], { cwd, env: dead });
    expect(stderr).toMatch(/^error\[engine\.unreachable\]/);
    expect(stdout).toBe('');
    expect(code).toBe(9);
    expect((await run('status')).stdout).not.toContain('running');
  });

  it('a configured Temporal: `run` and `up` exit 8 and name its address', async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    for (const command of [['run', 'drill.yaml'], ['up']]) {
      const { code, stderr } = await mayhem(command, { cwd, env: { ...env, TEMPORAL_ADDRESS: address } });
      expect(stderr).toContain(`error[temporal.unreachable]: Temporal at ${address} does not answer\n`);
      expect(code).toBe(8);
    }
    expect((await run('status')).stdout).not.toContain('running');
  });

  it('a configured Postgres: `run`, `up` and `inspect` exit 8, name its address and keep its password to themselves', async () => {
    const port = await closedPort();
    const url = `postgres://someone:hush@127.0.0.1:${port}/evidence`;
    for (const command of [['run', 'drill.yaml'], ['up'], ['inspect', 'runs']]) {
      const { code, stderr, stdout } = await mayhem(command, { cwd, env: { ...env, MAYHEM_DATABASE_URL: url } });
      expect(stderr).toContain('error[database.unreachable]');
      expect(stderr).toContain(`127.0.0.1:${port}`);
      expect(stderr + stdout).not.toContain('hush');
      expect(code).toBe(8);
    }
    expect((await run('status')).stdout).not.toContain('running');
  });

  it('a stack: `status` shows all as stopped and exits 0, `inspect` exits 8, `down` finds nothing', async () => {
    const status = await run('status', '--json');
    const { data } = JSON.parse(status.stdout) as { data: { components: { state: string }[] } };
    expect(data.components.map(({ state }) => state)).toEqual(Array(5).fill('stopped'));
    expect(status.code).toBe(0);
    expect(await run('inspect', 'runs')).toMatchObject({ code: 8, stdout: '' });
    expect(await run('down')).toMatchObject({ code: 0, stdout: `nothing was running in ${home}\n` });
  });
});

describe('prefixes', () => {
  it('name commands at every level, an exact name before a longer one', async () => {
    const whole = await run('prepare', 'validate', 'drill.yaml');
    expect(await run('prep', 'val', 'drill.yaml')).toEqual(whole);
    expect((await run('disc', 'f', '--json')).code).toBe(0);
    expect((await run('inspect', 'run')).stderr).toContain("missing required argument 'run'");
  });

  it('that were unique among the old names keep their meaning', async () => {
    expect((await run('v')).stderr).toContain("missing required argument 'run'");
    expect((await run('v', '--help')).stdout).toMatch(/^Usage: mayhem verify/);
  });
});

describe('help', () => {
  it('lists what is built and hides what is not', async () => {
    const { code, stdout } = await run('--help');
    expect(stdout).toMatch(/^Usage: mayhem <command> \[options\]\n/);
    expect(stdout).toMatch(/^ {2}run \[spec\] /m);
    expect(stdout).not.toMatch(/^ {2}(campaign|supervise|maniac)/m);
    expect(code).toBe(0);
    expect(await run()).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('is there for each command, by --help, -h and `help`', async () => {
    const [long, short, word] = await Promise.all([run('run', '--help'), run('run', '-h'), run('help', 'run')]);
    expect(long.stdout).toContain('-d, --detach');
    expect([short, word]).toEqual([long, long]);
  });

  it('--version prints the version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: '' });
  });
});
