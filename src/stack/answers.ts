import { connect as connectHttp2 } from 'node:http2';
import { connect, type NetConnectOpts } from 'node:net';

/** Whether something accepts a connection there within `withinMs`. */
export function acceptsConnection(options: {
  readonly to: NetConnectOpts;
  readonly withinMs: number;
}): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(options.to);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(options.withinMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/**
 * Whether a Postgres there takes log-ins: it answers a StartupMessage with an authentication request ('R'), not with an
 * error such as 57P03 "the database system is starting up" (PostgreSQL documentation, 55.7 Message Formats).
 */
export function postgresAnswers(options: {
  readonly host: string;
  readonly port: number;
  readonly withinMs: number;
}): Promise<boolean> {
  const body = Buffer.from('user\0mayhem\0database\0mayhem\0\0', 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return new Promise((resolve) => {
    const socket = connect({ host: options.host, port: options.port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(options.withinMs, () => end(false));
    socket.once('connect', () => socket.write(Buffer.concat([head, body])));
    socket.once('data', (data) => end(data[0] === 0x52));
    socket.once('error', () => end(false));
    socket.once('close', () => resolve(false));
  });
}

/** Status 1, SERVING, as gRPC frames a HealthCheckResponse (grpc.health.v1, protocol buffers encoding). */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);

/** Whether a Temporal frontend there serves, by gRPC's health checking protocol. */
export function temporalAnswers(options: {
  readonly host: string;
  readonly port: number;
  readonly withinMs: number;
}): Promise<boolean> {
  return new Promise((resolve) => {
    const session = connectHttp2(`http://${options.host}:${options.port}`);
    const timer = setTimeout(() => end(false), options.withinMs);
    const end = (answer: boolean) => {
      clearTimeout(timer);
      session.destroy();
      resolve(answer);
    };
    session.on('error', () => end(false));
    const service = Buffer.from('temporal.api.workflowservice.v1.WorkflowService');
    const message = Buffer.concat([Buffer.from([0x0a, service.length]), service]);
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    const request = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => end(Buffer.concat(chunks).equals(SERVING)));
    request.on('error', () => end(false));
    request.end(Buffer.concat([frame, message]));
  });
}
