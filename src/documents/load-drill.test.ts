import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Blueprint } from '../model/blueprint.js';
import { MayhemErrors } from '../model/error.js';
import { loadDrill } from './load-drill.js';

const load = (text: string, more: { lenient?: boolean; blueprint?: Blueprint } = {}) =>
  loadDrill({ file: 'd.yaml', text, ...more });

/** Errors as `line:column code message`. */
async function errorsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  try {
    await loading;
  } catch (error) {
    if (!(error instanceof MayhemErrors)) throw error;
    return error.errors.map(({ place, code, message }) => `${place?.line}:${place?.column} ${code} ${message}`);
  }
  return [];
}

const HEAD = 'apiVersion: mayhem/v1\nkind: drill\nname: test\nhypothesis: holds\n';
const FAULT = 'containers: {api: {faults: [{fault: container.pause}]}}\n';

describe('a drill', () => {
  it('gets every default that its document leaves out', async () => {
    const { drill, notices, logLevel } = await load(HEAD + FAULT);
    expect(notices).toEqual([]);
    expect(logLevel).toBeNull();
    expect(drill).toEqual({
      name: 'test',
      hypothesis: 'holds',
      config: {
        risk_ceiling: 'high',
        max_faults: 1,
        timeout_ms: 1_800_000,
        recovery: true,
        on_failure: 'abort_and_recover',
      },
      containers: [
        {
          name: 'api',
          faults: [
            {
              fault: 'container.pause',
              duration_ms: 10_000,
              params: {},
              recovery: null,
              on_failure: null,
              peers: [],
              place: { file: 'd.yaml', line: 5, column: 30 },
            },
          ],
          place: { file: 'd.yaml', line: 5, column: 14 },
        },
      ],
      execution: [{ kind: 'sequential', names: ['api'], place: { file: 'd.yaml', line: 5, column: 1 } }],
      steady_state: [],
      success: null,
      file: 'd.yaml',
    });
  });

  it('carries what it says in every key that is built', async () => {
    const { drill, logLevel } = await load(`${HEAD}
config: {risk_ceiling: medium, max_faults: "2", timeout: 0, recovery: false, on_failure: continue, log_level: DEBUG}
containers:
  api: {faults: [{fault: container.pause, duration: 1m30s, recovery: true, on_failure: abort_and_recover, ignored: null}]}
  web: {}
execution:
  - parallel: [api, web]
  - sequential: [web, api]
  - wait: 1.5
  - wait: {duration: 250ms}
  - check:
      - {id: a, http: "http://api/health", expect: {status: 204}}
      - {http: {url: "https://api/", method: POST, headers: {a: b}, body: x, timeout: 2s, expected_status: 201, contains: ok}}
      - {tcp: "db:5432"}
      - {tcp: {host: "::1", port: 80, timeout: 1s}, expect: {reachable: false}}
      - {tcp: "[::1]:80", expect: {latency_ms: {lt: 5.5}}}
steady_state:
  - {id: s, probe: {type: http, url: "http://web/"}, expect: {latency_ms: {lt: 500}}}
  - {id: t, probe: {type: tcp, host: db, port: "5432"}, cadence: 1s, window: 20s, min_ok_pct: 50}
  - {id: u, probe: {type: http, url: "http://web/"}, expect: {reachable: true}}
success:
  require_all: false
  criteria:
    - {type: status, source_id: a.status, expected: "204"}
    - {type: latency, source_id: s.latency_ms, lt_ms: 499.5}
    - {type: boolean, source_id: t.passed}
    - {type: boolean, source_id: u.passed, value: false}
`);
    expect(logLevel).toBe('DEBUG');
    expect(drill.config).toEqual({
      risk_ceiling: 'medium',
      max_faults: 2,
      timeout_ms: null,
      recovery: false,
      on_failure: 'continue',
    });
    expect(drill.containers[0]?.faults[0]).toMatchObject({
      duration_ms: 90_000,
      recovery: true,
      on_failure: 'abort_and_recover',
    });
    expect(drill.execution.map((block) => ('duration_ms' in block ? block.duration_ms : block.kind))).toEqual([
      'parallel',
      'sequential',
      1500,
      250,
      'check',
    ]);
    const checks = drill.execution.flatMap((block) => (block.kind === 'check' ? block.checks : []));
    expect(checks.map((check) => check.expect)).toEqual([
      { status: 204 },
      { status: 201, contains: 'ok' },
      { reachable: true },
      { reachable: false },
      { reachable: true, latency_ms_lt: 5.5 },
    ]);
    expect(checks.map((check) => check.probe)).toMatchObject([
      { type: 'http', url: 'http://api/health', method: 'GET', headers: {}, body: null, timeout_ms: 5000 },
      { method: 'POST', headers: { a: 'b' }, body: 'x', timeout_ms: 2000 },
      { type: 'tcp', host: 'db', port: 5432, timeout_ms: 3000 },
      { host: '::1', port: 80, timeout_ms: 1000 },
      { host: '::1', port: 80 },
    ]);
    expect(drill.steady_state).toMatchObject([
      { id: 's', expect: { status: 200, latency_ms_lt: 500 }, cadence_ms: 500, window_ms: 10_000, min_ok_pct: 99 },
      { id: 't', expect: { reachable: true }, cadence_ms: 1000, window_ms: 20_000, min_ok_pct: 50 },
      { id: 'u', expect: { reachable: true } },
    ]);
    expect(drill.success).toEqual({
      require_all: false,
      criteria: [
        { type: 'status', source_id: 'a.status', expected: 204 },
        { type: 'latency', source_id: 's.latency_ms', lt_ms: 499.5 },
        { type: 'boolean', source_id: 't.passed', value: true },
        { type: 'boolean', source_id: 'u.passed', value: false },
      ],
    });
  });

  it('gives all its mistakes at once, each at its key or value', async () => {
    const errors = await errorsOf(
      load(`apiVersion: mayhem/v1
kind: drill
name: 5
config: {risk_ceilin: high, max_faults: 1.5, timeout: 1d, recovery: yes, on_failure: Continue}
containers:
  api:
    faults:
      - {fault: container.puase, duration: 0s}
      - {fault: net.latency, delay_ms: 4}
      - {fault: container.pause, duration: 20m, params: {x: null}, durtion: 2s}
      - {duration: 5s}
  "": {}
execution:
  - parallel: [api, api, apo]
  - {wait: 5x, check: []}
  - check: [{id: a, http: "ftp://x"}, {id: a, tcp: db}, {id: true, http: "http://x", tcp: "a:1"}, {id: n}]
  - {}
steady_state: [{id: a, probe: {type: tcp, host: db, port: 99999}, min_ok_pct: 99%, expect: {status: 200}}, {id: c, probe: {type: htp}}]
success: {criteria: [{type: status, source_id: x}, {type: latency, source_id: y, lt_ms: true}, {type: boolen}]}
`),
    );
    expect(errors.map((error) => error.replace('document.invalid ', ''))).toEqual([
      '3:1 name: expected text, found 5',
      '4:10 unknown key "risk_ceilin" in config',
      '4:29 config.max_faults: expected a whole number, found 1.5',
      '4:46 config.timeout: expected a duration, found "1d"',
      '4:59 config.recovery: expected true or false, found "yes"',
      '4:74 config.on_failure: expected one of abort_and_recover, continue, found "Continue"',
      '8:10 there is no fault "container.puase"',
      '8:34 containers.api.faults[0].duration: expected a duration above zero, found "0s"',
      '9:10 document.unsupported the fault "net.latency" is not supported yet',
      '10:34 container.pause lasts at most 5m, not 20m',
      '10:58 containers.api.faults[2].params.x: expected text, a number, true, false or a list of these',
      '10:68 container.pause has no parameter "durtion" (it takes none)',
      '11:9 containers.api.faults[3].fault is required',
      '12:3 a container needs a printable name',
      '14:21 "api" is given twice in one parallel block',
      '14:26 "apo" is not under containers',
      '15:6 execution[1].wait.duration: expected a duration, found "5x"',
      '15:16 execution[1].check is empty',
      '15:16 a block has exactly one key, not wait and check',
      '16:21 execution[2].check[0].http.url: expected a URL that begins with http:// or https://',
      '16:40 the id "a" is given twice',
      '16:47 execution[2].check[1].tcp.port is required',
      '16:58 execution[2].check[2].id: expected text, found true',
      '16:86 a check has either http or tcp',
      '16:99 a check needs http or tcp',
      '17:5 a block is empty',
      '18:17 the id "a" is given twice',
      '18:53 steady_state[0].probe.port: expected a whole number of at least 1 and at most 65535, found 99999',
      '18:67 steady_state[0].min_ok_pct: expected a number, found "99%"',
      '18:93 a tcp probe has no status',
      expect.stringMatching(/^18:\d+ steady_state\[1\].probe.type: expected one of http, tcp, .*, found "htp"/),
      '19:22 success.criteria[0].expected is required',
      '19:82 success.criteria[1].lt_ms: expected a number, found true',
      '19:97 success.criteria[2].type: expected one of status, latency, boolean, metric, count, found "boolen"',
    ]);
  });

  it.each([
    ['config: {maniac: {level: 3}}', 'config.maniac'],
    ['targets: {web: {runtime: docker}}', 'targets'],
    ['execution: [{check_spec: []}]', 'execution[0].check_spec'],
    ['execution: [{wait: {until_check_passes: a, timeout: 5s, duration: 1s}}]', 'execution[0].wait.until_check_passes'],
    ['execution: [{check: [{exec: [ls]}]}]', 'execution[0].check[0].exec'],
    ['steady_state: [{id: a, probe: {type: exec, cmd: [ls]}}]', 'the probe "exec"'],
    ['success: {criteria: [{type: metric, source_id: x}]}', 'the criterion "metric"'],
    ['success: {criteria: [{type: boolean, source_id: x, abort: true}]}', 'success.criteria[0].abort'],
    ['slo: []', 'slo'],
    ['observability: {}', 'observability'],
    ['control: {}', 'control'],
  ])('with %s is refused as not supported yet', async (line, name) => {
    const errors = await errorsOf(load(`${HEAD}${FAULT}${line}\n`));
    const unsupported = errors.filter((error) => error.includes('document.unsupported'));
    expect(unsupported[0]).toContain(`${name} is not supported yet`);
    expect(unsupported[0]).toMatch(/^6:\d+ /);
  });

  it('refuses targets and selection of a container, which would choose who is hit', async () => {
    const errors = await errorsOf(
      load(`${HEAD}containers: {api: {selection: {mode: all}, faults: [{fault: container.pause, targets: [db]}]}}`),
    );
    expect(errors.filter((error) => error.includes('document.unsupported'))).toHaveLength(2);
  });

  it('accepts with a notice the keys that have no effect', async () => {
    const { notices } = await load(
      `${HEAD}config: {policy: strict}\ndescription: x\nlabels: {}\ntags: []\nmetadata: {}\ncontainers: {api: {faults: [{fault: container.pause, network_path: x}]}}\n`,
    );
    expect(notices.map(({ level, message, place }) => `${level} ${place?.line} ${message.split(' ')[0]}`)).toEqual([
      'notice 5 config.policy',
      'notice 6 description',
      'notice 7 labels',
      'notice 8 tags',
      'notice 9 metadata',
      'notice 10 network_path',
    ]);
  });

  it('warns of another apiVersion, of a missing hypothesis and of a container that no block runs', async () => {
    const { notices } = await load(
      `apiVersion: mayhem/v9\nkind: drill\nname: x\ncontainers: {api: {faults: [{fault: container.pause}]}, web: {}}\nexecution: [{sequential: [api]}]\n`,
    );
    expect(notices.map(({ level, place }) => `${level} ${place?.line}`)).toEqual([
      'warning 1',
      'warning 3',
      'warning 4',
    ]);
  });

  it('under lenient takes unknown keys as warnings and nothing else', async () => {
    const { drill, notices } = await load(`${HEAD}${FAULT}nmae: y\nconfig: {foo: 1}\n`, { lenient: true });
    expect(drill.name).toBe('test');
    expect(notices.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warning unknown key "nmae", ignored; did you mean "name"\?/),
      expect.stringMatching(/^warning unknown key "foo" in config, ignored/),
    ]);
    expect(await errorsOf(load(`${HEAD}${FAULT}nmae: y\nconfig: {max_faults: x}\n`, { lenient: true }))).toHaveLength(
      1,
    );
  });

  it('looks names up in the stack when it is given, together with all else', async () => {
    const blueprint: Blueprint = { kind: 'compose', services: [] };
    expect(await errorsOf(load(`${HEAD}${FAULT}slo: []\n`, { blueprint }))).toEqual([
      '5:14 target.missing the stack has no container or service "api" (available: <none>)',
      '6:1 document.unsupported slo is not supported yet',
    ]);
  });

  it('reads params above flat keys, and reports unknown ones where they stand', async () => {
    const errors = await errorsOf(
      load(
        `${HEAD}containers:\n  api:\n    faults:\n      - fault: container.pause\n        a: 1\n        params:\n          a: 2\n          b: 3\n`,
      ),
    );
    expect(errors.map((error) => error.split(' ')[0])).toEqual(['11:11', '12:11']);
  });
});

describe('another document than a drill', () => {
  it.each([
    ['kind: campaign\n', '1:1 document.invalid this document is a campaign, a drill is wanted'],
    ['kind: dril\nname: x\n', '1:1 document.invalid there is no kind "dril"'],
    ['', '1:1 document.invalid the document is empty'],
    ['- a', '1:1 document.invalid the document must be a map, not a list'],
    ['a: [', expect.stringContaining('1:5 document.invalid not valid YAML')],
    ['kind: drill\n---\nkind: drill\n', expect.stringContaining('several YAML documents')],
  ])('%j is told as what it is', async (text, error) => {
    expect(await errorsOf(load(text))).toEqual([error]);
  });

  it('that looks like a compose file is told as such', async () => {
    const [error] = await errorsOf(load('services: {}\n'));
    expect(error).toContain('looks like a compose file');
  });

  it('that is missing, a folder, not UTF-8 or too large is refused', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'mayhem-drill-'));
    try {
      await writeFile(join(dir, 'latin1.yaml'), Buffer.from([0x6e, 0xe9, 0xff]));
      await writeFile(join(dir, 'big.yaml'), `# ${'x'.repeat(10 * 1024 * 1024)}`);
      const of = (name: string) => errorsOf(loadDrill({ file: join(dir, name) }));
      expect(await of('nope.yaml')).toEqual([expect.stringMatching(/document\.missing .*does not exist/)]);
      expect(await of('.')).toEqual([expect.stringMatching(/document\.invalid .*is a folder/)]);
      expect(await of('latin1.yaml')).toEqual([expect.stringMatching(/document\.invalid .*not UTF-8/)]);
      const begin = performance.now();
      expect(await of('big.yaml')).toEqual([expect.stringMatching(/document\.invalid .*too large/)]);
      expect(performance.now() - begin).toBeLessThan(2000);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it('reads the same with CRLF line ends, a byte-order mark, and anchors', async () => {
    const text = `${HEAD}x: &f {fault: container.pause, duration: 5s}\ncontainers:\n  api: {faults: [*f, {<<: *f, duration: 6s}]}\n`;
    const { drill } = await load(`\uFEFF${text.replaceAll('\n', '\r\n')}`, { lenient: true });
    expect(drill.containers[0]?.faults.map((fault) => fault.duration_ms)).toEqual([5000, 6000]);
  });
});
