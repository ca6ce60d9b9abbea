import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { docker, startSleeper, type Sleeper } from '../containers.js';
import { run, runJson, type Where } from './mayhem.js';

/** Answers every request with 200 and closes: a service in eight lines, from what a minimal Debian has. */
const HTTP_SERVER = `
use IO::Socket::INET; $SIG{CHLD}='IGNORE'; $SIG{TERM}=sub{exit 0};
my $s=IO::Socket::INET->new(LocalPort=>8080,Listen=>64,ReuseAddr=>1) or die;
while(my $c=$s->accept){ if(fork){close $c;next} my $r=''; while(my $l=<$c>){last if $l=~/^\\r?\\n$/}
print $c "HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\nok"; close $c; exit 0 }`;

/**
 * A stack of two services of the test's own, with a state folder, a compose file and a drill: `api` is the target, `web` answers on a
 * loopback port and is what the steady state looks at.
 */
export interface Stage extends Where {
  readonly project: string;
  readonly api: Sleeper;
  readonly webId: string;
  readonly port: number;
  /** Starts the embedded stack; throws with what it printed when it does not come up. */
  up(): Promise<void>;
  write(name: string, text: string): Promise<string>;
  /** Pids of the components, by name. */
  pids(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const project = `mt${randomBytes(4).toString('hex')}`;
  const cwd = await mkdtemp(join(tmpdir(), 'mayhem-stage-'));
  // Postgres under its own user must reach its data.
  await chmod(cwd, 0o711);
  const env = { ...process.env, MAYHEM_HOME: join(cwd, 'home'), NO_COLOR: '1' };
  for (const name of ['MAYHEM_DATABASE_URL', 'TEMPORAL_ADDRESS', 'COMPOSE_PROJECT_NAME'])
    delete (env as NodeJS.ProcessEnv)[name];
  const port = await freePort();
  const labels = (service: string) => ({
    'com.docker.compose.project': project,
    'com.docker.compose.service': service,
    'com.docker.compose.container-number': '1',
    'com.docker.compose.oneoff': 'False',
  });
  const api = await startSleeper({ name: `${project}-api-1`, labels: labels('api') });
  const web = await docker.createContainer({
    Image: 'debian:bookworm-slim',
    Cmd: ['perl', '-e', HTTP_SERVER],
    name: `${project}-web-1`,
    Labels: { 'mayhem.test': '1', ...labels('web') },
    ExposedPorts: { '8080/tcp': {} },
    HostConfig: { PortBindings: { '8080/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] } },
  });
  await web.start();
  const where = { cwd, env };
  await writeFile(
    join(cwd, 'docker-compose.yml'),
    `name: ${project}\nservices:\n  web: {image: debian, ports: ["127.0.0.1:${port}:8080"]}\n  api: {image: debian, depends_on: [web]}\n`,
  );
  return {
    ...where,
    project,
    api,
    webId: web.id,
    port,
    up: async () => {
      const { code, stdout, stderr } = await run(['up'], where);
      if (code !== 0) throw new Error(`mayhem up ended with ${code}:\n${stdout}${stderr}`);
    },
    write: async (name, text) => {
      await writeFile(join(cwd, name), text);
      return name;
    },
    pids: () => pidsOf(where),
    close: async () => {
      const installation = await readFile(join(cwd, 'home', 'installation'), 'utf8').catch(() => null);
      const down = await run(['down', '--force'], where);
      // What a failed test or a failed `down` left is taken away all the same, so that it cannot spoil the tests after it.
      for (const pid of down.code === 0 ? [] : Object.values(await pidsOf(where))) process.kill(pid, 'SIGKILL');
      await api.remove();
      await web.remove({ force: true });
      const marks = await removeMarks(installation);
      await rm(cwd, { recursive: true, force: true });
      const told = `${down.stdout}${down.stderr}`;
      if (down.code !== 0) throw new Error(`mayhem down ended with ${down.code}:\n${told}`);
      if (marks.length > 0) throw new Error(`left behind: ${marks.join(', ')}\n${told}`);
    },
  };
}

async function pidsOf(where: Where): Promise<Record<string, number>> {
  const { envelope } = await runJson(['status'], where);
  const components = envelope.data.components as { name: string; pid: number | null }[];
  return Object.fromEntries(components.flatMap(({ name, pid }) => (pid === null ? [] : [[name, pid]])));
}

/** Removes what an installation still claims on the engine, and names it. */
async function removeMarks(installation: string | null): Promise<readonly string[]> {
  if (installation === null) return [];
  const label = `mayhem.installation=${installation.trim()}`;
  const { Volumes } = await docker.listVolumes({ filters: JSON.stringify({ label: ['mayhem.lease', label] }) });
  for (const { Name } of Volumes) await docker.getVolume(Name).remove({ force: true });
  return Volumes.map(({ Name, Labels }) => `claim ${Name} of lease ${Labels['mayhem.lease']}`);
}

/** The stage's drill: a pause of `api` while `web` is watched. */
export function pauseDrill(
  stage: Pick<Stage, 'port'>,
  options: { readonly holdS: number; readonly watch?: 'web' | 'api'; readonly windowS?: number },
): string {
  const windowS = options.windowS ?? 1;
  return `apiVersion: mayhem/v1
kind: drill
name: pause drill
hypothesis: web does not need api
containers:
  api:
    faults: [{fault: container.pause, duration: ${options.holdS}s}]
execution:
  - sequential: [api]
  - check: [{id: web-after, http: "http://127.0.0.1:${stage.port}/", expect: {status: 200}}]
steady_state:
  - {id: web, probe: {type: http, url: "http://127.0.0.1:${stage.port}/", timeout: 1s}, cadence: 200ms, window: ${windowS}s, expect: {status: 200, latency_ms: {lt: 900}}, min_ok_pct: 90}
success:
  criteria:
    - {type: boolean, source_id: web.passed, value: true}
    - {type: status, source_id: web-after.status, expected: 200}
`;
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
