import { HttpError, log, serve } from './service.mjs';
import { openDatabase, openRedis } from './stores.mjs';

const QUEUE = 'orders:accepted';
const STALE_MS = 10_000;

const database = openDatabase();
const queue = await openRedis();
let lastRoundMs = Date.now();
let stopping = false;

/** Takes one order, waiting up to a second for it, and ships it. An order queued twice is shipped once. */
async function round() {
  const taken = await queue.brPop(QUEUE, 1);
  lastRoundMs = Date.now();
  if (!taken) return;
  try {
    const { rowCount } = await database.query(
      "update orders set status = 'shipped', shipped_at = now() where id = $1 and status = 'accepted'",
      [taken.element],
    );
    if (rowCount === 1) log('order.shipped', { id: taken.element });
  } catch (error) {
    await queue.rPush(QUEUE, taken.element);
    throw error;
  }
}

async function work() {
  while (!stopping) {
    try {
      await round();
    } catch (error) {
      if (stopping) return;
      log('round.failed', { reason: error instanceof Error ? error.message : String(error) });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

serve({
  routes: {
    'GET /health': async () => {
      const idleMs = Date.now() - lastRoundMs;
      if (idleMs > STALE_MS) throw new HttpError(503, `no round for ${idleMs} ms`);
      return { status: 'ok' };
    },
  },
  stop: async () => {
    stopping = true;
    await Promise.all([queue.disconnect(), database.end()]);
  },
});
await work();
