import { randomUUID } from 'node:crypto';
import { attempt } from './attempt.mjs';
import { callers } from './resilience.mjs';
import { HttpError, log, serve } from './service.mjs';

const READY_MS = 2_000;

const resilient = (process.env.SHOP_RESILIENCE ?? 'on') !== 'off';
const { call, read } = callers({ resilient });
const catalog = `${process.env.CATALOG_URL}/products`;
const orders = `${process.env.ORDERS_URL}/orders`;
log('starting', { resilience: resilient ? 'on' : 'off' });

/** @param {any} body */
async function order(body) {
  const { product_id, quantity = 1 } = body ?? {};
  if (typeof product_id !== 'string') throw new HttpError(400, 'product_id is missing');
  // The id is chosen here, so that an order sent again after a timeout is the same order.
  const json = JSON.stringify({ id: randomUUID(), product_id, quantity });
  return call(orders, { method: 'POST', body: json, headers: { 'content-type': 'application/json' } });
}

/** Only live answers count: what a check after a drill wants to know. */
async function ready() {
  const calls = [catalog, orders].map((url) => attempt(url, { timeoutMs: READY_MS }));
  const backends = await Promise.allSettled(calls);
  if (backends.some(({ status }) => status === 'rejected')) throw new HttpError(503, 'a service does not answer');
  return { status: 'ready' };
}

serve({
  routes: {
    'GET /': async () => {
      const [shelf, sales] = await Promise.all([read(catalog), read(orders)]);
      return { products: shelf.answer.products, orders: sales.answer, live: shelf.live && sales.live };
    },
    'GET /products': async () => {
      const { answer, live } = await read(catalog);
      return { ...answer, live };
    },
    'POST /orders': ({ body }) => order(body),
    'GET /ready': ready,
    'GET /health': async () => ({ status: 'ok', resilience: resilient ? 'on' : 'off' }),
  },
});

// Answers to fall back on are there before the first customer is.
if (resilient) await Promise.allSettled([read(catalog), read(orders)]);
