import { createServer } from 'node:http';
import { configOf } from '../../src/environment.ts';
import { alertUnknownStatus, announceOrders } from '../../src/features/order-events/index.ts';
import { type Order, recordOrders } from '../../src/features/orders/index.ts';
import { createOrganization } from '../../src/features/organizations/index.ts';
import { sumSales } from '../../src/features/sales/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { parseLossless } from '../../src/platform/json.ts';
import { orderOf } from '../orders.ts';

// Each request parses and records one page of 50 orders that changed. DATABASE_URL, MASTER_KEY,
// PORT.

const PAGE = 50;
const STATUSES = ['paid', 'ready_to_ship', 'shipped', 'delivered'] as const;
const START = Temporal.Instant.from('2026-06-01T00:00:00Z');

const database = openDatabase({
  address: { url: process.env.DATABASE_URL as string },
  clock: systemClock,
  keyring: configOf({ MASTER_KEY: process.env.MASTER_KEY as string }).secrets.keyring,
  readerTimeoutSeconds: 15,
  onIdleError: console.error,
});
const { id } = await database.write((handle) =>
  createOrganization(handle, systemClock, { name: 'La que escribe', plan: 'experto' }),
);
const organization = database.within(id);
let round = 0;

const server = createServer(async (request, response) => {
  if (request.url !== '/healthz') await recordPage(round++);
  response.writeHead(200, { 'content-length': 0 }).end();
});
server.listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await database.close();
});

async function recordPage(number: number): Promise<void> {
  const status = STATUSES[number % STATUSES.length] as (typeof STATUSES)[number];
  const changedAt = Temporal.Now.instant().round({ smallestUnit: 'millisecond' });
  const orders: Order[] = Array.from({ length: PAGE }, (_, index) => {
    const order = { ...orderOf(index, PAGE, START), status, marketplaceStatus: status };
    // About the length of what a marketplace says of an order and its shipment.
    const raw = JSON.stringify({ order, shipment: order.shipping, numbers: NUMBERS });
    return { ...order, changedAt, fetchedAt: changedAt, raw };
  });
  const answer = `[${orders.map(({ raw }) => raw).join(',')}]`;
  if (!Array.isArray(parseLossless(answer))) throw new Error('not a page');
  await organization.write((scope) =>
    recordOrders(scope, orders, [sumSales, alertUnknownStatus, announceOrders]),
  );
}

const NUMBERS = Array.from({ length: 60 }, (_, at) => ({
  id: 2_000_000_000 + at,
  amount: at + 0.25,
  name: 'un renglón de lo que dice el marketplace',
}));
