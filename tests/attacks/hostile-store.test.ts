import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { startWooCommerce } from '../../simulators/woocommerce/index.ts';
import { subscribe } from '../../src/exchange/connect/subscribe.ts';
import { openApp } from '../support/app.ts';
import { turnedClock } from '../support/clock.ts';
import { alertsOf } from '../support/market.ts';
import { freshDatabase } from '../support/server.ts';

// A WooCommerce store is the seller's own site, so it answers whatever its owner likes: lists
// without end, and pages as large as an answer may be. It costs its own connection an alert, and
// the process nothing that others notice.

const MEGABYTE = 1024 * 1024;
/** Of one step of work, and the answer that goes beyond it. */
const MOST_BYTES = (32 + 8) * MEGABYTE;
const MOST_PAGES = 500;
/** A store that could go on; here it ends, so that a test of a service without a cap ends too. */
const LAST_PAGE = 700;
const ENDLESS = { 'x-wp-totalpages': '1000000000', 'x-wp-total': '1000000000' };

interface Hostile {
  /** The path that is answered in place of the store. */
  readonly match: RegExp;
  answer(page: number): { readonly headers: Record<string, string>; readonly body: string };
}

test('a store whose list of webhooks has no end and large pages is left after 32 MB, with an alert', async (t) => {
  const body = webhooks(100, 7 * MEGABYTE);
  const { attack, sent, alerts } = await openAttack(t, {
    match: /\/webhooks/,
    answer: (page) => ({ headers: page < 20 ? ENDLESS : {}, body }),
  });

  await attack();

  assert.ok(sent.bytes <= MOST_BYTES, `${sent.bytes} bytes were read`);
  assert.deepEqual(await alerts(), ['pushes']);
});

test('a store whose list of webhooks has no end and small pages is left after 500 pages, with an alert', async (t) => {
  const body = webhooks(1, 10);
  const { attack, sent, alerts } = await openAttack(t, {
    match: /\/webhooks/,
    answer: (page) => ({ headers: page < LAST_PAGE ? ENDLESS : {}, body }),
  });

  await attack();

  assert.equal(sent.pages, MOST_PAGES);
  assert.deepEqual(await alerts(), ['pushes']);
});

test('a page of twelve thousand orders is no page that was requested: it is not read, and its connection says so', async (t) => {
  const rows = Array.from({ length: 12_000 }, (_, at) => ({ id: at + 1 }));
  const { own, alerts } = await openAttack(t, {
    match: /\/orders\?.*offset/,
    answer: () => ({ headers: {}, body: JSON.stringify(rows) }),
  });

  const report = (await own.sync()).find(({ stream }) => stream === 'orders');

  assert.deepEqual([report?.unreadable, report?.pages], [0, 0]);
  assert.match(report?.error ?? '', /WooCommerce/);
  assert.deepEqual(await alerts(), ['connection']);
});

/** A store that is one, but for what its attack answers. */
async function openAttack(t: TestContext, { match, answer }: Hostile) {
  const clock = turnedClock();
  const env = {
    ROLE: 'api',
    REDIS_URL: 'redis://127.0.0.1:1',
    PUBLIC_URL: 'https://tianguis.example',
  };
  const own = await openApp(t, { clock, env, database: await freshDatabase() });
  const shop = await startWooCommerce({ seed: t.name, now: () => clock.now().epochMilliseconds });
  t.after(shop.close);
  const sent = { pages: 0, bytes: 0 };
  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'GET' && match.test(incoming.url ?? '')) {
      sent.pages += 1;
      const { headers, body } = answer(sent.pages);
      sent.bytes += body.length;
      return outgoing.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    }
    const { method, headers } = incoming;
    return incoming.pipe(
      request(new URL(incoming.url ?? '/', shop.url), { method, headers }, (found) => {
        outgoing.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(outgoing);
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const connectionId = await own.connect('woocommerce', { url, credentials: shop.credentials() });
  return {
    own,
    sent,
    attack: () => subscribe(own.app.exchange, own.organization.id, connectionId),
    alerts: async () => (await alertsOf(own, own.organization.id)).map(({ kind }) => kind),
  };
}

function webhooks(rows: number, bytes: number): string {
  const filling = 'x'.repeat(Math.floor(bytes / rows));
  const row = {
    id: 1,
    topic: 'x.y',
    status: 'active',
    delivery_url: 'https://otra.example',
    name: filling,
  };
  return JSON.stringify(Array.from({ length: rows }, (_, at) => ({ ...row, id: at + 1 })));
}
