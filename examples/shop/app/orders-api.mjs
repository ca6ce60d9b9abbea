import { HttpError, serve } from './service.mjs';
import { openDatabase, openRedis, within } from './stores.mjs';

const QUEUE = 'orders:accepted';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const database = openDatabase();
const queue = await openRedis();

/**
 * Accepts an order once, however often it is sent: its id comes from the sender.
 *
 * @param {any} order
 */
async function accept(order) {
  const { id, product_id, quantity } = order ?? {};
  if (!UUID.test(String(id))) throw new HttpError(400, 'id must be a UUID');
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > 100) {
    throw new HttpError(400, 'quantity must be a whole number from 1 to 100');
  }
  const known = await database.query('select 1 from products where id = $1', [String(product_id)]);
  if (known.rowCount === 0) throw new HttpError(400, 'no such product');
  await database.query(
    'insert into orders (id, product_id, quantity) values ($1, $2, $3) on conflict (id) do nothing',
    [id, product_id, quantity],
  );
  await within(queue.lPush(QUEUE, id), 1_000);
  return { id, status: 'accepted' };
}

async function summary() {
  const { rows } = await database.query(
    "select count(*)::int as accepted, (count(*) filter (where status = 'shipped'))::int as shipped from orders",
  );
  return rows[0];
}

serve({
  routes: {
    'GET /orders': summary,
    'POST /orders': ({ body }) => accept(body),
    'GET /health': async () => {
      await database.query('select 1');
      return { status: 'ok' };
    },
  },
  stop: () => Promise.all([database.end(), queue.disconnect()]),
});
