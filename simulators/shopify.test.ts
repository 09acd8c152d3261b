import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { type ShopifyOptions, startShopify } from './shopify/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

/**
 * A simulator with a clock that is stopped until advanced, and a caller with a token of old, which
 * does not end.
 */
async function open(t: TestContext, options: ShopifyOptions = {}) {
  const clock = { at: NOON };
  const sim = await startShopify({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);
  let token = sim.credentials({ kind: 'old' }).access_token;

  async function ask(query: string, variables: Record<string, unknown> = {}) {
    const answer = await fetch(`${sim.url}/admin/api/2026-10/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': token },
      body: JSON.stringify({ query, variables }),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  }
  async function tokenFor(form: Record<string, string>) {
    const client = {
      client_id: sim.application.clientId,
      client_secret: sim.application.clientSecret,
    };
    const body = new URLSearchParams({ ...client, ...form });
    const answer = await fetch(`${sim.url}/admin/oauth/access_token`, { method: 'POST', body });
    return { status: answer.status, body: (await answer.json()) as Json };
  }
  const found = async (filter: string) => {
    const text =
      'query Orders($q:String){orders(first:50,query:$q,sortKey:UPDATED_AT){nodes{legacyResourceId}}}';
    return (await ask(text, { q: filter })).body.data.orders.nodes.map(
      (row: Json) => row.legacyResourceId,
    );
  };
  return {
    sim,
    world: sim.world,
    clock,
    ask,
    found,
    tokenFor,
    use: (other: string) => {
      token = other;
    },
  };
}

const ONE = (fields: string) => `query Order($id:ID!){order(id:$id){${fields}}}`;
const gid = (id: string) => ({ id: `gid://shopify/Order/${id}` });

test('a query gets the fields that it asks for, under the names that it gives them', async (t) => {
  const { world, ask } = await open(t);
  const { id, total } = world.place({
    lines: [{ title: 'Taza', quantity: 2, unitPrice: '100.00' }],
    shipping: '0.00',
  });

  const { body } = await ask(
    ONE('number:legacyResourceId totalPriceSet{shopMoney{amount}}'),
    gid(id),
  );

  assert.deepEqual(body.data, {
    order: { number: id, totalPriceSet: { shopMoney: { amount: total } } },
  });
  assert.equal(total, '200.00');
});

test('a field that does not exist fails the whole query', async (t) => {
  const { world, ask } = await open(t);

  const { status, body } = await ask(ONE('legacyResourceId precio'), gid(world.place().id));

  assert.equal(status, 200);
  assert.equal(body.data, undefined);
  assert.equal(body.errors[0].extensions.code, 'undefinedField');
});

test('orders are paged by a cursor, in the order of their last change', async (t) => {
  const { world, ask, clock } = await open(t);
  const ids = Array.from({ length: 5 }, () => {
    clock.at += MINUTE;
    return world.place().id;
  });
  clock.at += MINUTE;
  world.pay(ids[0] as string);
  const query =
    'query Orders($after:String){orders(first:2,after:$after,sortKey:UPDATED_AT){nodes{legacyResourceId} pageInfo{hasNextPage endCursor}}}';

  const seen: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const { orders }: Json = (await ask(query, { after })).body.data;
    seen.push(...orders.nodes.map((row: Json) => row.legacyResourceId));
    after = orders.pageInfo.endCursor;
    more = orders.pageInfo.hasNextPage;
  }

  assert.deepEqual(seen, [...ids.slice(1), ids[0]]);
});

test('a filter that is not understood is ignored, and everything comes', async (t) => {
  const { world, found, clock } = await open(t);
  const old = world.place().id;
  clock.at += DAY;
  const young = world.place().id;
  const since = new Date(clock.at - MINUTE).toISOString();

  assert.deepEqual(await found(`updated_at:>='${since}'`), [young]);
  assert.deepEqual(await found(`updated_at:>='${since}' updated_at:<='${since}'`), []);
  assert.deepEqual(await found(`updated_at:>=${since}`), [old, young], 'a time without quotes');
  assert.deepEqual(await found(`changed_at:>='${since}'`), [old, young]);
});

test('orders older than sixty days are not there without the permission for all', async (t) => {
  const { sim, world, found, clock, ask } = await open(t);
  const old = world.place().id;
  clock.at += 61 * DAY;
  const young = world.place().id;

  assert.deepEqual(await found(''), [old, young]);
  sim.switches.scopes.delete('read_all_orders');
  assert.deepEqual(await found(''), [young]);
  assert.equal((await ask(ONE('id'), gid(old))).body.data.order, null);
});

test('without the permission for customers their fields are null, and an error beside the data says so', async (t) => {
  const { sim, world, ask } = await open(t);
  const { id, buyer } = world.place();
  const whole = await ask(ONE('shippingAddress{name}'), gid(id));
  sim.switches.scopes.delete('read_customers');

  const { body } = await ask(
    ONE('legacyResourceId customer{displayName} shippingAddress{name}'),
    gid(id),
  );

  assert.equal(whole.body.data.order.shippingAddress.name, `${buyer.firstName} ${buyer.lastName}`);
  assert.deepEqual(body.data.order, {
    legacyResourceId: id,
    customer: null,
    shippingAddress: null,
  });
  assert.deepEqual(
    body.errors.map((error: Json) => [error.extensions.code, error.path]),
    [
      ['ACCESS_DENIED', ['order', 'customer']],
      ['ACCESS_DENIED', ['order', 'shippingAddress']],
    ],
  );
});

test('some buyers are guests: no customer, but a name on the parcel', async (t) => {
  const { world, ask } = await open(t);
  const orders = Array.from({ length: 40 }, () => world.place().id);
  const asked = await Promise.all(
    orders.map((id) => ask(ONE('customer{displayName} shippingAddress{name}'), gid(id))),
  );
  const guests = asked.filter(({ body }) => body.data.order.customer === null);

  assert.ok(guests.length > 0 && guests.length < orders.length);
  assert.ok(asked.every(({ body }) => body.data.order.shippingAddress.name));
});

test('a refund leaves the quantity that was ordered, and lowers the current one', async (t) => {
  const { world, ask, clock } = await open(t);
  const { id } = world.place({ lines: [{ quantity: 3, unitPrice: '50.00' }], shipping: '0.00' });
  world.pay(id);
  clock.at += MINUTE;
  world.refund(id, '50.00');
  const fields =
    'displayFinancialStatus totalPriceSet{shopMoney{amount}} totalRefundedSet{shopMoney{amount}} lineItems(first:5){nodes{quantity currentQuantity}}';

  const { order } = (await ask(ONE(fields), gid(id))).body.data;

  assert.deepEqual(order, {
    displayFinancialStatus: 'PARTIALLY_REFUNDED',
    totalPriceSet: { shopMoney: { amount: '150.00' } },
    totalRefundedSet: { shopMoney: { amount: '50.00' } },
    lineItems: { nodes: [{ quantity: 3, currentQuantity: 2 }] },
  });
});

test('a coupon of the order is shared out among its lines, beside their own discounts', async (t) => {
  const { world, ask } = await open(t);
  const lines = [
    { quantity: 2, listPrice: '120.00', unitPrice: '100.00' },
    { quantity: 1, unitPrice: '100.00' },
  ];
  const { id } = world.place({ lines, coupon: '20.00', shipping: '99.00' });
  const amount = '{shopMoney{amount}}';
  const fields = `totalPriceSet${amount} totalTaxSet${amount} totalDiscountsSet${amount} shippingLines(first:2){nodes{discountedPriceSet${amount}}}
    lineItems(first:5){nodes{originalUnitPriceSet${amount} discountAllocations{allocatedAmountSet${amount} discountApplication{targetSelection}}}}`;

  const { order } = (await ask(ONE(fields), gid(id))).body.data;

  const sum = ({ shopMoney }: Json) => shopMoney.amount;
  assert.deepEqual(
    order.lineItems.nodes.map(({ originalUnitPriceSet, discountAllocations }: Json) => [
      sum(originalUnitPriceSet),
      ...discountAllocations.map(
        ({ allocatedAmountSet, discountApplication }: Json) =>
          `${discountApplication.targetSelection} ${sum(allocatedAmountSet)}`,
      ),
    ]),
    [
      ['120.00', 'ENTITLED 40.00', 'ALL 13.34'],
      ['100.00', 'ALL 6.66'],
    ],
  );
  assert.equal(sum(order.shippingLines.nodes[0].discountedPriceSet), '99.00');
  assert.deepEqual([order.totalPriceSet, order.totalTaxSet, order.totalDiscountsSet].map(sum), [
    '379.00',
    '52.28',
    '60.00',
  ]);
});

test('prices of a shop may be without tax, which is then added to them', async (t) => {
  const { world, ask } = await open(t, { taxesIncluded: false });
  const { id } = world.place({ lines: [{ quantity: 1, unitPrice: '100.00' }], shipping: '50.00' });

  const fields = 'taxesIncluded totalPriceSet{shopMoney{amount}} totalTaxSet{shopMoney{amount}}';
  const { order } = (await ask(ONE(fields), gid(id))).body.data;

  assert.deepEqual(order, {
    taxesIncluded: false,
    totalPriceSet: { shopMoney: { amount: '174.00' } },
    totalTaxSet: { shopMoney: { amount: '24.00' } },
  });
});

test('pieces that an edit removes leave the total as it was, and a record of the sale', async (t) => {
  const { sim, world, ask, clock } = await open(t);
  const { id } = world.place({ lines: [{ quantity: 3, unitPrice: '50.00' }], shipping: '0.00' });
  clock.at += MINUTE;
  sim.removePieces(id, 0, 1);

  const fields = `edited totalPriceSet{shopMoney{amount}} currentTotalPriceSet{shopMoney{amount}}
    lineItems(first:5){nodes{quantity currentQuantity}}
    agreements(first:5){nodes{reason sales(first:5){nodes{actionType totalAmount{shopMoney{amount}}}}}}`;
  const { order } = (await ask(ONE(fields), gid(id))).body.data;

  const sale = (actionType: string, amount: string) => ({
    sales: { nodes: [{ actionType, totalAmount: { shopMoney: { amount } } }] },
  });
  assert.deepEqual(order, {
    edited: true,
    totalPriceSet: { shopMoney: { amount: '150.00' } },
    currentTotalPriceSet: { shopMoney: { amount: '100.00' } },
    lineItems: { nodes: [{ quantity: 3, currentQuantity: 2 }] },
    agreements: {
      nodes: [
        { reason: 'ORDER', ...sale('ORDER', '150.00') },
        { reason: 'ORDER_EDIT', ...sale('RETURN', '-50.00') },
      ],
    },
  });
});

test('an order goes through the statuses of money, of goods, and of returns', async (t) => {
  const { world, ask, clock } = await open(t);
  const { id } = world.place({ inPerson: false });
  const fields =
    'displayFinancialStatus displayFulfillmentStatus returnStatus cancelledAt fulfillments(first:5){status displayStatus}';
  const now = async () => {
    const { order } = (await ask(ONE(fields), gid(id))).body.data;
    const live = order.fulfillments.find(({ status }: Json) => status === 'SUCCESS');
    return [
      order.displayFinancialStatus,
      order.displayFulfillmentStatus,
      order.returnStatus,
      live?.displayStatus,
    ];
  };
  const seen: unknown[] = [];
  for (const act of ['pay', 'pack', 'ship', 'deliver', 'sendBack', 'takeBack', 'refund'] as const) {
    clock.at += MINUTE;
    world[act](id);
    seen.push(await now());
  }

  assert.deepEqual(seen, [
    ['PAID', 'UNFULFILLED', 'NO_RETURN', undefined],
    ['PAID', 'IN_PROGRESS', 'NO_RETURN', undefined],
    ['PAID', 'FULFILLED', 'NO_RETURN', 'IN_TRANSIT'],
    ['PAID', 'FULFILLED', 'NO_RETURN', 'DELIVERED'],
    ['PAID', 'FULFILLED', 'IN_PROGRESS', 'DELIVERED'],
    ['PAID', 'FULFILLED', 'RETURNED', 'DELIVERED'],
    ['REFUNDED', 'FULFILLED', 'RETURNED', 'DELIVERED'],
  ]);
});

test('queries cost points, and too many of them are refused with HTTP 200', async (t) => {
  const { sim, ask, clock } = await open(t, { points: { most: 100, perSecond: 10 } });
  const query = 'query Orders{orders(first:20){nodes{id}}}';

  const first = await ask(query);
  const second = await ask(query);
  clock.at += 3_000;
  const third = await ask(query);

  assert.deepEqual(first.body.extensions.cost.throttleStatus, {
    maximumAvailable: 100,
    currentlyAvailable: 38,
    restoreRate: 10,
  });
  assert.equal(second.status, 200);
  assert.equal(second.body.data, undefined);
  assert.equal(second.body.errors[0].extensions.code, 'THROTTLED');
  assert.equal(second.body.extensions.cost.requestedQueryCost, 62);
  assert.deepEqual(third.body.data, { orders: { nodes: [] } });
  assert.equal(sim.throttled, 1);
  sim.switches.pointsPerRow = 60;
  assert.equal((await ask(query)).body.errors[0].extensions.code, 'MAX_COST_EXCEEDED');
});

test('a token ends within the hour; the refresh token works until the next one was used', async (t) => {
  const { sim, ask, clock, tokenFor, use } = await open(t);
  const { access_token, refresh_token = '' } = sim.credentials();
  use(access_token);
  const refresh = (token: string) =>
    tokenFor({ grant_type: 'refresh_token', refresh_token: token });
  clock.at += 61 * MINUTE;
  assert.equal((await ask('query Shop{shop{name}}')).status, 401);

  const lost = await refresh(refresh_token);
  const kept = await refresh(refresh_token);
  const next = await refresh(kept.body.refresh_token);
  const late = await refresh(refresh_token);

  assert.deepEqual([lost.status, kept.status, next.status, late.status], [200, 200, 200, 400]);
  assert.equal(next.body.expires_in, 3_600);
  assert.equal(late.body.error, 'invalid_grant');
  use(next.body.access_token);
  assert.equal((await ask('query Shop{shop{name}}')).status, 200);
  sim.revoke();
  assert.equal((await ask('query Shop{shop{name}}')).status, 401);
  assert.equal((await refresh(next.body.refresh_token)).status, 400);
});

test('a webhook has the older shape, and is signed over its raw body', async (t) => {
  const { sim, world, ask, clock } = await open(t);
  const heard: { topic: string; hmac: string; text: string }[] = [];
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { 'x-shopify-topic': topic, 'x-shopify-hmac-sha256': hmac } = request.headers;
    heard.push({
      topic: String(topic),
      hmac: String(hmac),
      text: Buffer.concat(chunks).toString(),
    });
    response.writeHead(heard.length > 1 ? 500 : 200).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => receiver.close());
  const uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const subscribe =
    'mutation Subscribe($uri:String!){webhookSubscriptionCreate(topic:ORDERS_CREATE,webhookSubscription:{uri:$uri,format:JSON}){userErrors{message}}}';

  const made = await ask(subscribe, { uri });
  const twice = await ask(subscribe, { uri });
  const { id, total } = world.place({ shipping: '0.00' });
  await sim.notifications.flush();

  assert.deepEqual(made.body.data.webhookSubscriptionCreate.userErrors, []);
  assert.match(
    twice.body.data.webhookSubscriptionCreate.userErrors[0].message,
    /already been taken/,
  );
  const [push] = heard;
  assert.equal(push?.topic, 'orders/create');
  const secret = sim.application.clientSecret;
  assert.equal(
    push?.hmac,
    createHmac('sha256', secret)
      .update(push?.text ?? '')
      .digest('base64'),
  );
  const body = JSON.parse(push?.text ?? '');
  assert.deepEqual(
    [String(body.id), body.total_price, body.financial_status],
    [id, total, 'pending'],
  );

  // No answer any more: nine times in vain, and the subscription is gone.
  clock.at += MINUTE;
  world.place();
  for (let tries = 0; tries < 9; tries++) await sim.notifications.flush();
  assert.deepEqual(sim.notifications.subscriptions, []);
});

test('a folder of documents is served as it is', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'shopify-'));
  t.after(() => rm(folder, { recursive: true }));
  const order = { id: 'gid://shopify/Order/77', legacyResourceId: '77', name: '#77' };
  await writeFile(join(folder, 'a.json'), JSON.stringify({ data: { orders: { nodes: [order] } } }));
  const older = {
    id: 88,
    name: '#88',
    currency: 'MXN',
    total_price: '9.50',
    financial_status: 'paid',
  };
  await writeFile(join(folder, 'b.json'), JSON.stringify({ orders: [older] }));
  await writeFile(join(folder, 'c.json'), JSON.stringify({ access_scopes: [] }));

  const { sim, ask } = await open(t, { replay: folder });
  const { body } = await ask(
    'query Orders{orders(first:10){nodes{legacyResourceId name tags totalPriceSet{shopMoney{amount}}}}}',
  );

  assert.deepEqual(body.data.orders.nodes, [
    { legacyResourceId: '77', name: '#77', tags: null, totalPriceSet: null },
    {
      legacyResourceId: '88',
      name: '#88',
      tags: [],
      totalPriceSet: { shopMoney: { amount: '9.50' } },
    },
  ]);
  assert.deepEqual(sim.replayed?.ignored, ['c.json']);
});

test('a shop has no account for payments unless it is said so', async (t) => {
  const { sim, world, ask } = await open(t);
  world.fill({ orders: 30, days: 60 });
  const query =
    'query Balance{shopifyPaymentsAccount{balance{amount} payouts(first:3){nodes{status net{amount}}}}}';

  const without = await ask(query);
  sim.switches.hasPayments = true;
  const withPayments = await ask(query);

  assert.deepEqual(without.body.data, { shopifyPaymentsAccount: null });
  assert.equal(withPayments.body.data.shopifyPaymentsAccount.payouts.nodes[0].status, 'SCHEDULED');
});
