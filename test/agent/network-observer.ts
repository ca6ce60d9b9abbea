import { execFile, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { createConnection, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { ContainerInspectInfo } from 'dockerode';
import { docker, until } from '../containers.js';

const run = promisify(execFile);

/** Answers each line or datagram with itself, on every port given, over TCP and UDP, IPv4 and (where there is one) IPv6. */
const SERVER = `
  use IO::Socket::IP; use IO::Select;
  my (%kind, %of); my $select = IO::Select->new;
  for my $port (@ARGV) { for my $host ('0.0.0.0', '::') {
    for my $proto ('tcp', 'udp') {
      my %listen = $proto eq 'tcp' ? (Listen => 64, ReuseAddr => 1) : ();
      my $socket = IO::Socket::IP->new(LocalHost => $host, LocalPort => $port, Proto => $proto, V6Only => 1, GetAddrInfoFlags => 0, %listen) or next;
      $kind{$socket} = $proto; $select->add($socket);
    } } }
  while (1) { for my $socket ($select->can_read) {
    my $kind = $kind{$socket} // 'line';
    if ($kind eq 'tcp') { $select->add($socket->accept); next }
    if ($kind eq 'udp') { my $from = $socket->recv(my $text, 1024); $socket->send($text, 0, $from) if defined $from; next }
    my $text = ''; my $got = sysread($socket, $text, 1024);
    if ($got) { syswrite($socket, $text) } else { $select->remove($socket); close $socket }
  } }`;

/** Connects to each host and port in turn (protocol, host, port, ...) and tells what came of it, one line each. */
const CLIENT = `
  use IO::Socket::IP; use IO::Select; use Errno; $| = 1;
  while (my ($proto, $host, $port) = splice @ARGV, 0, 3) {
    my $socket = IO::Socket::IP->new(PeerHost => $host, PeerPort => $port, Proto => $proto, GetAddrInfoFlags => 0, Timeout => 1.5);
    if (!$socket) { print $!{ECONNREFUSED} ? "refused\\n" : "$!\\n"; next }
    if ($proto eq 'tcp') { print "connected\\n"; next }
    syswrite($socket, 'x');
    if (!IO::Select->new($socket)->can_read(1)) { print "no answer\\n"; next }
    print defined sysread($socket, my $text, 10) ? "connected\\n" : $!{ECONNREFUSED} ? "refused\\n" : "$!\\n";
  }`;

/** What came of one attempt: connected, refused (at once, by ECONNREFUSED), or some other word. */
export interface Attempt {
  readonly protocol?: 'tcp' | 'udp';
  readonly host: string;
  readonly port: number;
}

/** A container whose network can be tried from outside and from inside; `network`: share that container's. */
export async function startServer(options: { readonly ports: readonly number[]; readonly network?: string }) {
  const container = await docker.createContainer({
    Image: 'debian:bookworm-slim',
    Cmd: ['perl', '-e', SERVER, ...options.ports.map(String)],
    Labels: { 'mayhem.test': '1' },
    StopTimeout: 0,
    HostConfig: options.network === undefined ? {} : { NetworkMode: `container:${options.network}` },
  });
  await container.start();
  const info = await container.inspect();
  const address = addressOf(info);
  const pid = info.State.Pid;
  for (const port of options.ports) {
    await until(
      `port ${port} answers`,
      async () => (await tryFrom(pid, [{ host: '127.0.0.1', port }]))[0] === 'connected',
    );
  }
  return {
    id: info.Id,
    name: info.Name.replace(/^\//, ''),
    startedAt: info.State.StartedAt,
    container,
    address,
    pid,
    netns: await namespaceOf(pid),
    isPaused: async () => false,
    /** Tries from inside this container's network. */
    tryAll: (attempts: readonly Attempt[]) => tryFrom(pid, attempts),
    ruleset: () => rulesetOf(pid),
    nft: (...args: string[]) => inNetworkOf(pid, ['nft', ...args]),
    run: (...args: string[]) => inNetworkOf(pid, args),
    remove: async () => {
      await container.remove({ force: true }).catch((error: { statusCode?: number }) => {
        if (error.statusCode !== 404) throw error;
      });
    },
  };
}
export type Server = Awaited<ReturnType<typeof startServer>>;

/** A container's address on the default bridge. */
export function addressOf(info: ContainerInspectInfo): string {
  return info.NetworkSettings.Networks['bridge']?.IPAddress ?? '';
}

/** Inode of a process's network namespace. */
export async function namespaceOf(pid: number): Promise<string> {
  const { stdout } = await run('stat', ['-L', '-c', '%i', `/proc/${pid}/ns/net`]);
  return stdout.trim();
}

/** All rules of a process's network, counters left out: nft's own and those that iptables made. */
export async function rulesetOf(pid: number): Promise<string> {
  return inNetworkOf(pid, ['nft', '--stateless', 'list', 'ruleset']);
}

async function inNetworkOf(pid: number, args: readonly string[]): Promise<string> {
  const { stdout } = await run('nsenter', [`--net=/proc/${pid}/ns/net`, ...args], { timeout: 10_000 });
  return stdout;
}

async function tryFrom(pid: number, attempts: readonly Attempt[]): Promise<readonly string[]> {
  const args = attempts.flatMap(({ protocol, host, port }) => [protocol ?? 'tcp', host, String(port)]);
  return (await inNetworkOf(pid, ['perl', '-e', CLIENT, ...args])).trim().split('\n');
}

/** Tries from the host, which is outside every container. */
export function tryFromHost({ protocol, host, port }: Attempt): Promise<string> {
  return new Promise((resolve) => {
    if (protocol === 'udp') {
      const socket = createSocket('udp4');
      const end = (outcome: string) => {
        clearTimeout(timer);
        socket.close();
        resolve(outcome);
      };
      const timer = setTimeout(() => end('no answer'), 1_000);
      socket.on('message', () => end('connected'));
      socket.on('error', (error: NodeJS.ErrnoException) => end(wordFor(error)));
      socket.connect(port, host, () => socket.send('x'));
      return;
    }
    const socket = createConnection({ host, port, timeout: 1_500 });
    const end = (outcome: string) => {
      socket.destroy();
      resolve(outcome);
    };
    socket.on('connect', () => end('connected'));
    socket.on('timeout', () => end('no answer'));
    socket.on('error', (error: NodeJS.ErrnoException) => end(wordFor(error)));
  });
}

function wordFor(error: NodeJS.ErrnoException): string {
  return error.code === 'ECONNREFUSED' ? 'refused' : (error.code ?? error.message);
}

/** A connection that stays open: `say` sends a line and gives what came back, or how the connection ended. */
export interface Line {
  say(text: string): Promise<string>;
  close(): void;
}

/** A line from the host. */
export async function lineFromHost(options: { readonly host: string; readonly port: number }): Promise<Line> {
  const socket = createConnection(options);
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return { say: (text) => sayOn(socket, text), close: () => socket.destroy() };
}

function sayOn(socket: Socket, text: string): Promise<string> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('no answer'), 1_500);
    const end = (outcome: string) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      resolve(outcome);
    };
    socket.once('data', (data) => end(data.toString().trim()));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('close', () => end('closed'));
    socket.write(`${text}\n`);
  });
}

/** A line from inside a container's network to somewhere else. */
export async function lineFrom(server: Server, to: { readonly host: string; readonly port: number }): Promise<Line> {
  const script = `
    use IO::Socket::IP; use IO::Select; $| = 1; $SIG{PIPE} = 'IGNORE';
    my $socket = IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1], Proto => 'tcp', Timeout => 2) or die $!;
    print "open\\n";
    while (my $text = <STDIN>) {
      syswrite($socket, $text) or do { print "$!\\n"; next };
      if (!IO::Select->new($socket)->can_read(1.5)) { print "no answer\\n"; next }
      my $got = sysread($socket, my $back, 1024);
      print $got ? $back : defined $got ? "closed\\n" : "$!\\n";
    }`;
  const args = [`--net=/proc/${server.pid}/ns/net`, 'perl', '-e', script, to.host, String(to.port)];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value as string;
  if ((await next()) !== 'open') throw new Error('the line could not be opened');
  return {
    say: (text) => {
      child.stdin.write(`${text}\n`);
      return next();
    },
    close: () => child.kill(),
  };
}
