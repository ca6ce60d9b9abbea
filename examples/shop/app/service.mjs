import { createServer } from 'node:http';

/**
 * @param {string} event
 * @param {Record<string, unknown>} [fields]
 */
export function log(event, fields = {}) {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...fields }));
}

/** An answer other than 200, thrown by a route. */
export class HttpError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * @typedef {{ body: any }} Call
 * @typedef {(call: Call) => Promise<unknown>} Route answers what is sent as JSON with status 200
 */

/**
 * Serves JSON on port 8080 until SIGTERM or SIGINT, then ends at once.
 *
 * @param {{ routes: Record<string, Route>, stop?: () => Promise<unknown> }} options
 *   `routes` by method and path, `GET /health`; `stop` closes what the service holds open
 */
export function serve({ routes, stop = async () => {} }) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://shop').pathname;
    const { status, answer } = await answerTo(routes[`${request.method} ${path}`], request);
    if (response.destroyed) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(answer)}\n`);
  });
  server.listen(8080, () => log('listening', { port: 8080 }));

  const end = async () => {
    server.close();
    server.closeAllConnections();
    await Promise.race([stop(), new Promise((resolve) => setTimeout(resolve, 1_000))]).catch(() => {});
    process.exit(0);
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

/**
 * @param {Route | undefined} route
 * @param {import('node:http').IncomingMessage} request
 */
async function answerTo(route, request) {
  try {
    if (!route) throw new HttpError(404, 'no such path');
    return { status: 200, answer: await route({ body: await readJson(request) }) };
  } catch (error) {
    const status = error instanceof HttpError ? error.status : 502;
    if (status >= 500) log('failed', { path: request.url, reason: String(error) });
    return { status, answer: { error: error instanceof Error ? error.message : String(error) } };
  }
}

/** @param {import('node:http').IncomingMessage} request */
async function readJson(request) {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 10_000) throw new HttpError(413, 'body too large');
  }
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'body is not JSON');
  }
}
