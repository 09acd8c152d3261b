import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type AmazonOptions, startAmazon } from './amazon/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ALL = 'BUYER,RECIPIENT,PROCEEDS,FULFILLMENT,PACKAGES';
const ORDERS = '/orders/2026-01-01/orders';
const TRANSACTIONS = '/finances/2024-06-19/transactions';

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

/** A simulator with a clock that is stopped until advanced, and a caller with a good token. */
async function open(t: TestContext, options: AmazonOptions = {}) {
  const clock = { at: NOON };
  const sim = await startAmazon({
    seed: 1,
    now: () => clock.at,
    limited: false,
    tokenSeconds: 90 * 86_400,
    ...options,
  });
  t.after(sim.close);

  async function token(form: Record<string, string>) {
    const { clientId: client_id, clientSecret: client_secret } = sim.application;
    const body = new URLSearchParams({ client_id, client_secret, ...form });
    const answer = await fetch(`${sim.url}/auth/o2/token`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as Json };
  }
  const refresh = () =>
    token({ grant_type: 'refresh_token', refresh_token: sim.credentials().refresh_token });
  let access: string = (await refresh()).body.access_token;

  async function get(path: string, query: Record<string, string | number> = {}) {
    const url = new URL(path, sim.url);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    const answer = await fetch(url, {
      headers: { 'x-amz-access-token': access },
      redirect: 'manual',
    });
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      body: (isJson ? await answer.json() : null) as Json,
    };
  }
  const ago = (time: number) => new Date(clock.at - time).toISOString();
  const search = (query: Record<string, string | number> = {}) =>
    get(ORDERS, { lastUpdatedAfter: ago(30 * DAY), includedData: ALL, ...query });
  const transactions = async (query: Record<string, string | number>) => {
    const rows: Json[] = [];
    let pages = 0;
    for (let nextToken: string | undefined; ; ) {
      const { body } = await get(TRANSACTIONS, { ...query, ...(nextToken && { nextToken }) });
      rows.push(...body.payload.transactions);
      pages += 1;
      nextToken = body.payload.nextToken;
      if (!nextToken) return { rows, pages };
    }
  };
  return {
    sim,
    world: sim.world,
    clock,
    token,
    refresh,
    get,
    search,
    transactions,
    ago,
    use: (accessToken: string) => {
      access = accessToken;
    },
  };
}

// Consent and tokens

test('consent comes back with a code for five minutes, once, and the seller’s id', async (t) => {
  const { sim, clock, get, token } = await open(t, { tokenSeconds: 3_600 });
  const consent = async () => {
    const asked = { application_id: sim.application.appId, state: 'ábc' };
    const { headers } = await get('/apps/authorize/consent', asked);
    return new URL(headers.get('location') ?? '').searchParams;
  };
  const buy = async (code: string | null) =>
    (
      await token({
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: sim.application.redirectUri,
      })
    ).body;

  const back = await consent();
  const bought = await buy(back.get('spapi_oauth_code'));
  const again = await buy(back.get('spapi_oauth_code'));
  const late = await consent();
  clock.at += 5 * MINUTE;

  assert.deepEqual([back.get('state'), back.get('selling_partner_id')], ['ábc', sim.sellerId]);
  assert.deepEqual([bought.expires_in, bought.token_type], [3_600, 'bearer']);
  assert.match(bought.access_token, /^Atza\|/);
  assert.match(bought.refresh_token, /^Atzr\|/);
  assert.equal(again.error, 'invalid_grant');
  assert.equal((await buy(late.get('spapi_oauth_code'))).error, 'invalid_grant');
});

test('a dead token is 403 with the reason in the details; refreshing works again and again', async (t) => {
  const { sim, clock, get, refresh, use } = await open(t, { tokenSeconds: 3_600 });
  const path = '/sellers/v1/marketplaceParticipations';
  const details = async () => {
    const { status, body } = await get(path);
    return status === 200 ? 'ok' : `${status} ${body.errors[0].code} ${body.errors[0].details}`;
  };

  assert.equal(await details(), 'ok');
  clock.at += HOUR;
  assert.equal(await details(), '403 Unauthorized The access token you provided has expired.');
  use((await refresh()).body.access_token);
  assert.equal(await details(), 'ok');
  sim.expireTokens();
  assert.match(await details(), /has expired/);
  use((await refresh()).body.access_token);
  sim.revoke();
  assert.match(await details(), /revoked, malformed or invalid/);
  use('');
  assert.match(await details(), /missing in the request header/);
});

test('a revoked seller, a wrong secret and an unknown grant are refused by name', async (t) => {
  const { sim, token } = await open(t);
  const { refresh_token } = sim.credentials();
  sim.revoke();

  assert.equal(
    (await token({ grant_type: 'refresh_token', refresh_token })).body.error,
    'invalid_grant',
  );
  const wrong = await token({ grant_type: 'refresh_token', client_secret: 'no' });
  assert.deepEqual([wrong.status, wrong.body.error], [401, 'invalid_client']);
  assert.equal((await token({ grant_type: 'password' })).body.error, 'unsupported_grant_type');
});

// Orders

test('exactly one family of dates, closed two minutes before now', async (t) => {
  const { get, ago } = await open(t);
  const status = async (query: Record<string, string>) => (await get(ORDERS, query)).status;

  assert.equal(await status({}), 400);
  assert.equal(await status({ createdAfter: ago(DAY), lastUpdatedAfter: ago(DAY) }), 400);
  assert.equal(await status({ createdAfter: ago(DAY), lastUpdatedBefore: ago(HOUR) }), 400);
  assert.equal(await status({ lastUpdatedBefore: ago(HOUR) }), 400);
  assert.equal(await status({ createdAfter: 'ayer' }), 400);
  assert.equal(await status({ createdAfter: ago(DAY), createdBefore: ago(MINUTE) }), 400);
  assert.equal(await status({ createdAfter: ago(DAY), createdBefore: ago(2 * MINUTE) }), 200);
  assert.equal(await status({ createdAfter: ago(DAY), maxResultsPerPage: '101' }), 400);
});

test('an order of the last two minutes is not found yet', async (t) => {
  const { world, clock, search } = await open(t);
  world.place();

  const fresh = await search();
  clock.at += 2 * MINUTE;
  const later = await search();

  assert.deepEqual([fresh.body.orders.length, later.body.orders.length], [0, 1]);
  assert.equal(Date.parse(later.body.lastUpdatedBefore), NOON);
});

test('pages go on by a token that lives a day and belongs to its search', async (t) => {
  const { world, clock, search, ago } = await open(t);
  world.fill({ orders: 25, days: 20 });
  const lastUpdatedAfter = ago(60 * DAY);
  const page = (paginationToken?: string, more: Record<string, string> = {}) =>
    search({
      lastUpdatedAfter,
      maxResultsPerPage: 10,
      ...(paginationToken && { paginationToken }),
      ...more,
    });

  const ids: string[] = [];
  let token: string | undefined;
  do {
    const { body } = await page(token);
    ids.push(...body.orders.map(({ orderId }: Json) => orderId));
    token = body.pagination?.nextToken;
  } while (token);
  const first = (await page()).body.pagination.nextToken;

  assert.equal(new Set(ids).size, 25);
  assert.ok(ids.every((id) => /^\d{3}-\d{7}-\d{7}$/.test(id)));
  assert.equal((await page(first, { marketplaceIds: 'ATVPDKIKX0DER' })).status, 400);
  assert.equal((await page('inventado')).status, 400);
  clock.at += DAY;
  assert.equal((await page(first)).status, 400);
});

test('the bucket holds twenty searches, and then one comes in three minutes', async (t) => {
  const { clock, search } = await open(t, { limited: true });
  const statuses: number[] = [];
  for (let count = 0; count < 21; count++) statuses.push((await search()).status);
  const refused = await search();
  clock.at += 178 * 1_000;
  const early = await search();
  clock.at += 1_000;

  assert.deepEqual([statuses.filter((one) => one === 200).length, statuses.at(-1)], [20, 429]);
  assert.equal(refused.body.errors[0].code, 'QuotaExceeded');
  assert.equal(refused.headers.get('x-amzn-ratelimit-limit'), '0.0056');
  assert.equal(early.status, 429);
  assert.equal((await search()).status, 200);
});

test('a pending order has no amounts, a seller’s has packages, and Amazon’s is never delivered', async (t) => {
  const { world, get } = await open(t);
  const fbaSku = world.products.find(({ keptByMarketplace }) => keptByMarketplace)?.sku ?? '';
  const ownSku = world.products.find(({ keptByMarketplace }) => !keptByMarketplace)?.sku ?? '';
  const read = async (id: string) =>
    (await get(`${ORDERS}/${id}`, { includedData: ALL })).body.order;
  const { id: own, total } = world.place({ lines: [{ sku: ownSku }] });
  const { id: fba } = world.place({ lines: [{ sku: fbaSku }] });

  const pending = await read(own);
  for (const id of [own, fba]) world.deliver(id);
  const [sent, kept] = [await read(own), await read(fba)];

  assert.deepEqual(
    [pending.fulfillment.fulfillmentStatus, pending.proceeds],
    ['PENDING', undefined],
  );
  assert.equal(pending.orderItems[0].product.price, undefined);
  assert.deepEqual(sent.proceeds.grandTotal, { amount: total, currencyCode: 'MXN' });
  assert.equal(sent.packages[0].packageStatus.status, 'DELIVERED');
  assert.deepEqual([kept.fulfillment.fulfillmentStatus, kept.packages], ['SHIPPED', []]);
  assert.equal(kept.buyer.buyerEmail, undefined);
});

test('data sets come only when requested, personal data only with its role', async (t) => {
  const { sim, world, get } = await open(t);
  const { id } = world.place();
  world.pay(id);
  const read = async (includedData: string) =>
    (await get(`${ORDERS}/${id}`, { includedData })).body.order;

  const bare = await read('');
  const whole = await read(ALL);
  sim.switches.personalData = false;
  const masked = await read(ALL);

  assert.deepEqual(
    ['buyer', 'recipient', 'proceeds', 'fulfillment', 'packages'].filter((name) => name in bare),
    [],
  );
  assert.ok(
    whole.buyer && whole.recipient && whole.proceeds && whole.fulfillment && whole.packages,
  );
  assert.ok(!masked.buyer && !masked.recipient && masked.proceeds);
});

test('an unknown order is 404, and an impossible id is 400', async (t) => {
  const { get } = await open(t);

  assert.equal((await get(`${ORDERS}/701-0000000-0000000`)).status, 404);
  assert.equal((await get(`${ORDERS}/hola`)).status, 400);
});

// Finances

test('transactions come late, after an empty page, and not at all in a window that is too long', async (t) => {
  const { sim, world, clock, get, transactions, ago } = await open(t);
  sim.switches.lateHours = 40;
  const { id } = world.place({ lines: [{ unitPrice: '100.00' }] });
  world.ship(id);
  clock.at += MINUTE;
  world.refund(id, '30.00');
  clock.at += 10 * MINUTE;

  const early = await transactions({ postedAfter: ago(DAY) });
  clock.at += 2 * DAY;
  const late = await transactions({ postedAfter: ago(3 * DAY) });
  const tooLong = await transactions({ postedAfter: ago(181 * DAY) });
  const missing = await get(TRANSACTIONS);

  assert.deepEqual([early.rows.length, tooLong.rows.length], [0, 0]);
  assert.deepEqual(
    [late.pages, late.rows.map(({ transactionType }) => transactionType)],
    [2, ['Shipment', 'Refund']],
  );
  assert.ok(late.rows.every(({ totalAmount }) => typeof totalAmount.currencyAmount === 'number'));
  assert.deepEqual(
    [missing.status, missing.body.errors[0].details],
    [400, 'Start date cannot be null'],
  );
});

test('an order’s transactions are had by its id, and money held back comes again when released', async (t) => {
  const { world, clock, transactions } = await open(t);
  const ids = Array.from({ length: 12 }, () => world.place().id);
  for (const id of ids) world.ship(id);
  clock.at += 10 * MINUTE;
  const of = async (id: string) =>
    (await transactions({ relatedIdentifierName: 'ORDER_ID', relatedIdentifierValue: id })).rows;

  const before = (await Promise.all(ids.map(of)))
    .flat()
    .map(({ transactionStatus }) => transactionStatus);
  clock.at += 8 * DAY;
  const rows = (await Promise.all(ids.map(of))).flat();
  const held = rows.filter(({ transactionStatus }) => transactionStatus === 'DEFERRED_RELEASED');
  const released = rows
    .flatMap(({ relatedIdentifiers }) => relatedIdentifiers)
    .filter(({ relatedIdentifierName }) => relatedIdentifierName === 'DEFERRED_TRANSACTION_ID');

  assert.deepEqual([...new Set(before)].sort(), ['DEFERRED', 'RELEASED']);
  assert.equal(before.length, 12);
  assert.ok(held.length > 0);
  assert.deepEqual(
    released.map(({ relatedIdentifierValue }) => relatedIdentifierValue).sort(),
    held.map(({ transactionId }) => transactionId).sort(),
  );
});

test('a balance is a tree whose parts add up', async (t) => {
  const { world, get } = await open(t);
  world.fill({ orders: 80, days: 40 });
  const { body } = await get('/finances/2024-06-19/balances', { balanceType: 'TOTAL' });
  const [root] = body.balances;
  const cents = ({ amount }: Json) => Math.round(amount.currencyAmount * 100);
  const sum = (node: Json) =>
    node.balances.reduce((total: number, one: Json) => total + cents(one), 0);

  assert.equal(cents(root), sum(root));
  assert.equal(cents(root.balances[1]), sum(root.balances[1]));
  assert.match(root.lastUpdatedTime, /-06:00$/);
});

test('what is expected is paid later under the same settlement', async (t) => {
  const { world, clock, get } = await open(t);
  world.fill({ orders: 80, days: 40 });
  const path = '/finances/transfers/2024-06-01/payouts';
  const settlementOf = ({ relatedIdentifiers: [related] }: Json) => related.relatedIdentifierValue;

  const [expected] = (await get(`${path}/expected`)).body.expectedPayouts;
  clock.at = Date.parse(expected.scheduledDate) + 3 * DAY;
  const { payouts } = (await get(path)).body;
  const paid = payouts.find((one: Json) => settlementOf(one) === settlementOf(expected));

  assert.deepEqual([expected.status, paid?.currentStatus], ['SCHEDULED', 'PAID']);
  assert.deepEqual(
    paid.statusHistory.map(({ status }: Json) => status),
    ['STARTED', 'IN_TRANSIT', 'PAID'],
  );
});

// Inventory

test('a page of Amazon’s inventory goes on by a token that dies after thirty seconds', async (t) => {
  const { clock, get } = await open(t);
  const asked = {
    granularityType: 'Marketplace',
    granularityId: 'MX',
    marketplaceIds: 'MX',
    details: 'true',
  };
  const page = (more: Record<string, string> = {}) =>
    get('/fba/inventory/v1/summaries', { ...asked, ...more });

  const { nextToken } = (await page()).body.pagination;

  assert.equal((await page({ nextToken })).status, 200);
  clock.at += 30_000;
  assert.equal((await page({ nextToken })).status, 400);
  assert.equal(
    (await get('/fba/inventory/v1/summaries', { granularityType: 'Marketplace' })).status,
    400,
  );
});

test('listings say whose stock it is, twenty on a page, and show a thousand at most', async (t) => {
  const { sim, get } = await open(t);
  sim.switches.listingsShown = 10;
  const list = (query: Record<string, string | number>) =>
    get(`/listings/2021-08-01/items/${sim.sellerId}`, query);

  const { body } = await list({ pageSize: 20 });
  const since = body.items.at(-1).summaries[0].createdDate;
  const further = (await list({ pageSize: 20, createdAfter: since })).body;

  assert.equal(body.items.length, 10);
  assert.ok(body.numberOfResults > 10);
  assert.equal(body.pagination, undefined);
  assert.equal(further.items[0].sku, body.items.at(-1).sku);
  assert.equal((await list({ pageSize: 21 })).status, 400);
  assert.equal((await get('/listings/2021-08-01/items/OTRO')).status, 403);
});

// Documents

test('a folder of documents of both generations is served instead of the world', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'amazon-'));
  t.after(() => rm(folder, { recursive: true }));
  const put = (name: string, document: object) =>
    writeFile(join(folder, name), JSON.stringify(document));
  await put('a.json', {
    response: { orders: [{ orderId: '701-1111111-1111111', orderItems: [] }] },
  });
  await put('b.json', {
    payload: { AmazonOrderId: '701-2222222-2222222', OrderStatus: 'Shipped' },
  });
  await put('c.json', {
    balances: [{ balanceType: 'TOTAL', balances: [{ balanceType: 'AVAILABLE' }] }],
  });
  await put('d.json', { nada: true });
  const { sim, search, get } = await open(t, { replay: folder });

  const { orders } = (await search()).body;

  assert.deepEqual(
    orders.map((order: Json) => order.orderId ?? order.AmazonOrderId),
    ['701-1111111-1111111', '701-2222222-2222222'],
  );
  assert.equal((await get(`${ORDERS}/701-2222222-2222222`)).body.order.OrderStatus, 'Shipped');
  assert.deepEqual([sim.replayed?.balances, sim.replayed?.ignored], [1, ['d.json']]);
});
