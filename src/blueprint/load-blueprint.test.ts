import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MayhemErrors } from '../model/error.js';
import { loadBlueprint } from './load-blueprint.js';

let root = '';
let counter = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'mayhem-blueprint-'));
});
afterAll(() => rm(root, { recursive: true }));

async function folder(files: Readonly<Record<string, string>>, name = `case-${counter++}`): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name, path)), { recursive: true });
    await writeFile(join(root, name, path), text);
  }
  return join(root, name);
}

async function load(files: Readonly<Record<string, string>> | string, env: Record<string, string> = {}) {
  const dir = await folder(typeof files === 'string' ? { 'compose.yaml': files } : files);
  return loadBlueprint({ files: [], dir, env });
}

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

describe('a compose file', () => {
  it('becomes services with their typed members, the rest opaque, sorted by name', async () => {
    const { blueprint, notices } = await load(`
services:
  web:
    image: shop/web:\${TAG:-1.0}
    container_name: shop-web
    ports: [8080, "127.0.0.1:9000:90", {target: 443, published: "8443", protocol: udp}]
    expose: ["7000-7001"]
    depends_on: {db: {condition: service_healthy}, cache: {condition: service_started}}
    labels: {team: a, on: true}
    environment: {A: "\${B:-c}", N: 1.10, E: }
    x-note: ignored
  db: {image: postgres, labels: ["a=b=c", d]}
  cache: {image: redis, depends_on: [db], network_mode: "service:db"}
`);
    expect(notices).toEqual([]);
    expect(blueprint.services.map((service) => service.name)).toEqual(['cache', 'db', 'web']);
    expect(blueprint.services[2]).toEqual({
      name: 'web',
      container_name: 'shop-web',
      image: 'shop/web:1.0',
      ports: [
        { container_port: 8080, protocol: 'tcp', host_port: null, host_ip: null },
        { container_port: 90, protocol: 'tcp', host_port: 9000, host_ip: '127.0.0.1' },
        { container_port: 443, protocol: 'udp', host_port: 8443, host_ip: null },
      ],
      expose: [7000, 7001],
      depends_on: [
        { service: 'cache', condition: 'service_started' },
        { service: 'db', condition: 'service_healthy' },
      ],
      labels: { team: 'a', on: 'true' },
      network_mode: null,
      other: { environment: { A: 'c', N: '1.10', E: null } },
    });
    expect(blueprint.services[1]?.labels).toEqual({ a: 'b=c', d: '' });
    expect(blueprint.services[0]?.network_mode).toBe('service:db');
  });

  it('follows anchors and merge keys: own keys beat merged ones, earlier maps beat later ones', async () => {
    const { blueprint } = await load(`
x-log: &log {restart: always, image: one, labels: {a: "1"}}
x-res: &res {image: two, user: "5"}
services:
  web:
    <<: [*log, *res]
    restart: "no"
`);
    expect(blueprint.services[0]).toMatchObject({
      image: 'one',
      labels: { a: '1' },
      other: { restart: 'no', user: '5' },
    });
    expect(blueprint.services).toHaveLength(1);
  });

  it('takes variables from the shell first, then from the .env file beside it', async () => {
    const { blueprint } = await load(
      { 'compose.yaml': 'services: {web: {image: "$A $B"}}', '.env': 'A=file\nB=file\n', 's.env': 'A=service\n' },
      { A: 'shell' },
    );
    expect(blueprint.services[0]?.image).toBe('shell file');
  });

  it('warns once of a variable that is not set', async () => {
    const { blueprint, notices } = await load('services: {web: {image: "a$NOPE", command: "$NOPE"}}');
    expect(blueprint.services[0]?.image).toBe('a');
    expect(notices.map(({ level, message }) => `${level} ${message}`)).toEqual([
      expect.stringMatching(/^warning the variable "NOPE" is not set/),
    ]);
  });

  it('gives all its mistakes at once, each with line and column', async () => {
    const errors = await errorsOf(
      load(`
servces: {}
services:
  web:
    image: \${NOPE:?need it}
    ports: ["80-82:80-81"]
    depends_on: [dp]
    volumes: [data:/x]
  db:
    image: {}
    container_name: a b
    depends_on: {web: {condition: healthy}}
`),
    );
    expect(errors).toEqual([
      '2:1 blueprint.invalid unknown key "servces" at the top of the compose file',
      '5:12 blueprint.invalid services.web.image: required variable NOPE is missing a value: need it',
      '6:13 blueprint.invalid services.web.ports[0]: the ranges of "80-82:80-81" differ in length: 3 and 2',
      '7:18 blueprint.invalid service "web" depends on "dp", which does not exist',
      '8:15 blueprint.invalid service "web" uses "data", which is not declared under volumes',
      '10:12 blueprint.invalid services.db.image: expected text, found a map',
      '11:21 blueprint.invalid services.db.container_name: "a b" is no container name',
      expect.stringContaining('12:23 blueprint.invalid services.db.depends_on.web: the condition "healthy" is none of'),
    ]);
  });

  it('refuses with their place the parts of the specification that are not built', async () => {
    const errors = await errorsOf(
      load(`
include: [other.yaml]
services:
  a: {image: x, extends: {service: b}}
  b: {image: x, profiles: [debug]}
  c: {image: x, scale: 2}
  d: {image: x, deploy: {replicas: "\${N:-3}"}}
  e: {image: !reset null}
  f: {image: x, deploy: {replicas: 1}}
`),
    );
    expect(errors.map((error) => error.split(' ').slice(0, 3).join(' '))).toEqual([
      '2:10 blueprint.unsupported include',
      '4:26 blueprint.unsupported services.a.extends',
      '5:27 blueprint.unsupported services.b.profiles',
      '6:24 blueprint.unsupported services.c.scale',
      '7:36 blueprint.unsupported services.d.deploy.replicas',
      expect.stringMatching(/^8:\d+ blueprint.unsupported the$/),
    ]);
  });

  it('refuses dependencies that run in a circle, naming it', async () => {
    expect(
      await errorsOf(load('services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: [a]}\n')),
    ).toEqual(['2:29 blueprint.invalid depends_on runs in a circle: a -> b -> a']);
  });

  it('refuses duplicate keys naming both lines, a doubled merge key too', async () => {
    const errors = await errorsOf(
      load('x: &x {}\nservices:\n  a: {image: x, image: y}\n  a: {<<: *x, <<: *x, image: z}\n'),
    );
    expect(errors).toEqual([
      '1:1 blueprint.invalid unknown key "x" at the top of the compose file',
      '3:17 blueprint.invalid the key "image" is given twice (first on line 3)',
      '4:3 blueprint.invalid the key "a" is given twice (first on line 3)',
      '4:15 blueprint.invalid the key "<<" is given twice (first on line 4)',
    ]);
  });

  it('refuses two services with one container_name', async () => {
    const errors = await errorsOf(
      load('services:\n  a: {image: x, container_name: c}\n  b: {image: x, container_name: c}\n'),
    );
    expect(errors).toEqual(['3:33 blueprint.invalid services "a" and "b" have the same container_name "c"']);
  });

  it.each([
    ['', '1:1 blueprint.invalid the compose file is empty'],
    ['services: {}', '1:11 blueprint.invalid the compose file has no services'],
    ['- a', '1:1 blueprint.invalid a compose file is a map, not a list'],
    ['services: {web: }', '1:17 blueprint.invalid services.web: expected a map, found nothing'],
  ])('refuses %j', async (text, error) => {
    expect(await errorsOf(load(text))).toEqual([error]);
  });

  it('refuses aliases that multiply, within two seconds', async () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0
        ? 'x-0: &a0 [x,x,x,x,x,x,x,x,x,x]'
        : `x-${i}: &a${i} [${Array(10)
            .fill(`*a${i - 1}`)
            .join(',')}]`,
    );
    const begin = performance.now();
    const errors = await errorsOf(load(`${levels.join('\n')}\nservices: {web: {image: x, command: *a11}}\n`));
    expect(errors).toEqual([expect.stringContaining('aliases of this document expand to more nodes')]);
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  it('refuses a file of ten megabytes without reading it', async () => {
    const errors = await errorsOf(load(`# ${'x'.repeat(10 * 1024 * 1024)}`));
    expect(errors).toEqual([expect.stringContaining('is too large: 10 MiB')]);
  });
});

describe('the compose file of a folder', () => {
  it('is missing: the error lists what was looked for', async () => {
    const [error] = await errorsOf(load({ 'other.yaml': '' }));
    expect(error).toContain('blueprint.missing');
    for (const name of ['docker-compose.yml', 'docker-compose.yaml', 'compose.yml', 'compose.yaml'])
      expect(error).toContain(name);
  });

  it('given by name and missing is told with its path', async () => {
    const dir = await folder({ x: '' });
    expect(await errorsOf(loadBlueprint({ files: ['nope.yaml'], dir, env: {} }))).toEqual([
      expect.stringContaining('blueprint.missing'),
    ]);
  });

  it('is refused together with an override file, and with a second file', async () => {
    const compose = 'services: {web: {image: x}}';
    expect(await errorsOf(load({ 'compose.yaml': compose, 'compose.override.yml': compose }))).toEqual([
      expect.stringContaining('blueprint.unsupported'),
    ]);
    const dir = await folder({ a: compose, b: compose });
    expect(await errorsOf(loadBlueprint({ files: ['a', 'b'], dir, env: {} }))).toEqual([
      expect.stringContaining('blueprint.unsupported'),
    ]);
  });

  it('is found in a folder named relatively, and given relative to the folder', async () => {
    const dir = await folder({ 'compose.yaml': 'services: {web: {image: x}}' });
    const near = relative(process.cwd(), dir);
    expect((await loadBlueprint({ files: [], dir: near, env: {} })).files).toEqual([join(dir, 'compose.yaml')]);
    expect((await loadBlueprint({ files: ['compose.yaml'], dir, env: {} })).files).toEqual([join(dir, 'compose.yaml')]);
  });

  it('is taken by the order of names, with a warning when there are several', async () => {
    const compose = 'services: {web: {image: x}}';
    const { files, notices } = await load({ 'compose.yaml': compose, 'docker-compose.yml': compose });
    expect(files[0]).toMatch(/docker-compose\.yml$/);
    expect(notices.map((notice) => notice.level)).toEqual(['warning']);
  });
});

describe('the name of a project', () => {
  const compose = 'services: {web: {image: x}}';
  const named = `name: from-file\n${compose}`;
  it.each([
    ['My Shop.v2', compose, {}, 'myshopv2'],
    ['_-x', compose, {}, 'x'],
    ['plain', named, {}, 'from-file'],
    ['plain2', named, { COMPOSE_PROJECT_NAME: 'from-env' }, 'from-env'],
    ['plain3', `name: "\${N:-dflt}"\n${compose}`, {}, 'dflt'],
  ])('of the folder %j is what docker compose takes', async (name, text, env, expected) => {
    const dir = await folder({ 'compose.yaml': text }, name);
    expect((await loadBlueprint({ files: [], dir, env })).project).toBe(expected);
  });

  it('is refused when docker compose would refuse it', async () => {
    expect(await errorsOf(load(`name: Bad Name\n${compose}`))).toEqual([
      expect.stringContaining('"Bad Name" is no project name'),
    ]);
  });
});
