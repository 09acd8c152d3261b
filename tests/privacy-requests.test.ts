import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notificationJob } from '../src/exchange/webhooks/notification-job.ts';
import { saveConnection } from '../src/features/connections/index.ts';
import { INSTANCE } from '../src/features/schedules/index.ts';
import { newId } from '../src/platform/ids.ts';
import { anOrder, openApp } from './support/app.ts';
import { alertsOf, query } from './support/market.ts';
import { freshDatabase } from './support/server.ts';

// A buyer's wish to be forgotten, as a marketplace forwards it.

/** Without a worker of its own, so that jobs wait to be looked at. */
const QUIET = { ROLE: 'api', REDIS_URL: 'redis://127.0.0.1:1' };
const HOUR_OF_TRIES = 14;

test('a wish to be forgotten that fails by our own fault is tried until it is served, and an alert says so', async (t) => {
  const own = await openApp(t, { env: QUIET, database: await freshDatabase() });
  const { exchange } = own.app;
  const organizationId = own.organization.id;
  const shop = { marketplace: 'shopify', accountId: 'tienda.myshopify.com' } as const;
  await own.record([anOrder({ ...shop, id: '101', buyerName: 'Rosa P.' })]);
  const connectionId = await own.app.database.within(organizationId).write((scope) =>
    saveConnection(scope, exchange.keyring, {
      ...{ service: shop.marketplace, accountId: shop.accountId, name: 'Tienda', baseUrl: null },
      ...{ credentials: {}, credentialsExpireAt: null },
    }),
  );
  const job = {
    ...{ organizationId, connectionId, receiptId: newId() },
    hint: { forget: 'buyer', orderIds: ['101'] },
  } as const;
  const broken = {
    ...exchange,
    orderListeners: [() => Promise.reject(new Error('a listener that fails'))],
  };
  const waiting = () =>
    query(own, "select (data ->> 'failures')::int as failures from queue.job where name = 'hint'");
  const buyer = async () => {
    const [order] = await query(own, 'select detail_json from orders');
    return JSON.parse(order?.detail_json as string).buyer_name;
  };

  await notificationJob.run(broken, job);
  assert.deepEqual(await waiting(), [{ failures: 1 }]);
  assert.deepEqual([await buyer(), await alertsOf(own, INSTANCE)], ['Rosa P.', []]);

  await notificationJob.run(broken, { ...job, failures: HOUR_OF_TRIES - 1 });
  const [alert] = await alertsOf(own, INSTANCE);
  assert.deepEqual([alert?.kind, alert?.subject], ['privacy_request', job.receiptId]);

  await notificationJob.run(exchange, { ...job, failures: HOUR_OF_TRIES });
  assert.deepEqual([await buyer(), await alertsOf(own, INSTANCE)], [null, []]);
});
