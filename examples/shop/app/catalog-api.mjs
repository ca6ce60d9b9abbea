import { log, serve } from './service.mjs';
import { openDatabase, openRedis, within } from './stores.mjs';

const CACHE_KEY = 'catalog:products';
const CACHE_SECONDS = 5;

const database = openDatabase();
const cache = await openRedis();

/** The cache is a help, not a need: without it every answer comes from the database. */
async function products() {
  const cached = await within(cache.get(CACHE_KEY), 100).catch(() => null);
  if (cached) return JSON.parse(cached);
  const { rows } = await database.query('select id, name, price_cents from products order by id');
  within(cache.set(CACHE_KEY, JSON.stringify(rows), { EX: CACHE_SECONDS }), 500).catch((error) =>
    log('cache.not_written', { reason: error.message }),
  );
  return rows;
}

serve({
  routes: {
    'GET /products': async () => ({ products: await products() }),
    'GET /health': async () => {
      await database.query('select 1');
      return { status: 'ok' };
    },
  },
  stop: () => Promise.all([database.end(), cache.disconnect()]),
});
