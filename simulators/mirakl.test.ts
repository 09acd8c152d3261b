import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { orderIdOf, totalOf } from './mirakl/facts.ts';
import { type MiraklOptions, startMirakl } from './mirakl/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const MINUTE = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

/** A simulator with a clock that is stopped until advanced, and a caller with a good key. */
async function open(t: TestContext, options: MiraklOptions = {}) {
  const clock = { at: NOON };
  const sim = await startMirakl({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);

  async function get(path: string, headers: Record<string, string> = {}) {
    const authorization = sim.credentials().api_key;
    const answer = await fetch(`${sim.url}/api${path}`, { headers: { authorization, ...headers } });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (isJson ? JSON.parse(text) : null) as Json,
    };
  }

  const list = async (query = '') => (await get(`/orders?max=100${query}`)).body as Json;
  const ids = async (query = '') =>
    ((await list(query)).orders as Json[]).map(({ order_id }) => order_id);
  const one = async (id: string) => (await list(`&order_ids=${id}`)).orders[0] as Json;
  return { sim, world: sim.world, clock, get, list, ids, one };
}

test('the key is bare in the header; anything else is refused in Mirakl’s words', async (t) => {
  const { sim, get } = await open(t);
  const { api_key } = sim.credentials();

  for (const authorization of ['', `Bearer ${api_key}`, 'otra-clave']) {
    const { status, body } = await get('/account', { authorization });
    assert.deepEqual([status, body], [401, { status: 401, message: 'Unauthorized' }]);
  }
  assert.equal((await get('/account')).body.shop_id, 2_041);
  sim.revoke();
  assert.equal((await get('/account', { authorization: api_key })).status, 401);
  assert.equal((await get('/account')).status, 200);
});

test('without its id a user’s default shop answers, and another’s shop does not', async (t) => {
  const { sim, get } = await open(t, { shops: [11, 12] });
  const { id } = sim.shops[1]?.world.place() ?? assert.fail();

  assert.equal((await get('/account')).body.shop_id, 11);
  assert.equal((await get('/orders')).body.total_count, 0);
  assert.equal((await get('/account?shop_id=12')).body.shop_id, 12);
  assert.equal((await get('/orders?shop_id=12')).body.total_count, 1, id);
  assert.equal((await get('/orders?shop_id=13')).status, 403);
});

test('a page holds ten orders by default, and a hundred at most', async (t) => {
  const { world, get } = await open(t);
  world.fill({ orders: 130, days: 20 });

  const usual = (await get('/orders')).body;
  const most = (await get('/orders?max=500')).body;
  const rest = (await get('/orders?max=100&offset=100')).body;

  assert.deepEqual([usual.orders.length, usual.total_count], [10, 130]);
  assert.deepEqual([most.orders.length, rest.orders.length], [100, 30]);
  assert.deepEqual((await get('/orders?offset=130')).body, { orders: [], total_count: 130 });
});

test('rows come by creation, whatever changed last', async (t) => {
  const { world, clock, ids } = await open(t);
  const placed = [
    world.place(),
    world.place({ at: NOON + MINUTE }),
    world.place({ at: NOON + 2 * MINUTE }),
  ];
  clock.at += 5 * MINUTE;
  world.pay(placed[0]?.id ?? '');

  const expected = placed.map(orderIdOf);

  assert.deepEqual(await ids(), expected);
  assert.deepEqual(await ids('&order=desc'), expected.toReversed());
});

test('an update window begins a minute early, so rows repeat, and ends where it says', async (t) => {
  const { world, clock, ids } = await open(t);
  const id = orderIdOf(world.place());
  clock.at += 10 * MINUTE;
  const from = (at: number) => ids(`&start_update_date=${new Date(at).toISOString()}`);

  assert.deepEqual(await from(NOON + 60_000), [id]);
  assert.deepEqual(await from(NOON + 61_000), []);
  assert.deepEqual(await ids(`&end_update_date=${new Date(NOON).toISOString()}`), [id]);
  assert.deepEqual(await ids(`&end_update_date=${new Date(NOON - 1_000).toISOString()}`), []);
});

test('an order that changes leaves a window that ended before', async (t) => {
  const { world, clock, ids } = await open(t);
  const order = world.place();
  clock.at += MINUTE;
  const closed = `&end_update_date=${new Date(clock.at).toISOString()}`;
  assert.deepEqual(await ids(closed), [orderIdOf(order)]);

  clock.at += MINUTE;
  world.pay(order.id);

  assert.deepEqual(await ids(closed), []);
});

test('what an old instance does not know, and more than a hundred ids, it refuses', async (t) => {
  const { get } = await open(t);
  const many = Array.from({ length: 101 }, (_, index) => `TG_${index}-A`).join(',');

  for (const query of [
    'paginate=false',
    'start_update_date=ayer',
    'max=muchos',
    `order_ids=${many}`,
  ])
    assert.equal((await get(`/orders?${query}`)).status, 400, query);
});

test('a purchase that is split is several orders of one commercial id', async (t) => {
  const { world, one } = await open(t);
  const [first, second] = world.placeCart([{}, {}]).map(orderIdOf) as [string, string];

  const [a, b] = [await one(first), await one(second)];

  assert.match(first, /-A$/);
  assert.match(second, /-B$/);
  assert.equal(a.commercial_id, b.commercial_id);
  assert.notEqual(a.order_id, b.order_id);
});

test('the total has shipping and fees that the price of its lines lacks', async (t) => {
  const { world, list } = await open(t);
  world.fill({ orders: 60, days: 10 });

  const { orders } = await list();
  const withFees = orders.filter(({ order_lines }: Json) => order_lines[0].fees.length > 0);

  assert.ok(withFees.length > 0);
  for (const { order_lines, price, shipping_price, total_price } of orders) {
    const fees = order_lines
      .flatMap((line: Json) => line.fees)
      .reduce((sum: number, { amount }: Json) => sum + amount, 0);
    assert.equal(Math.round((price + shipping_price + fees) * 100), Math.round(total_price * 100));
    const lines = order_lines.reduce((sum: number, line: Json) => sum + line.total_price, 0);
    assert.equal(Math.round(lines * 100), Math.round(total_price * 100));
  }
  const [{ order_id, total_price }] = withFees;
  const order = world.orders().find((one) => orderIdOf(one) === order_id);
  assert.equal(order && totalOf(order), Math.round(total_price * 100));
});

test('an order lives through the documented states', async (t) => {
  const { world, one } = await open(t);
  const order = world.place();
  const id = orderIdOf(order);
  const state = async () => (await one(id)).order_state;

  assert.match(await state(), /^(STAGING|WAITING_ACCEPTANCE|WAITING_DEBIT|WAITING_DEBIT_PAYMENT)$/);
  assert.equal('customer_debited_date' in (await one(id)), false);
  assert.equal((await one(id)).customer.shipping_address, null);
  world.pay(order.id);
  assert.equal(await state(), 'SHIPPING');
  assert.match((await one(id)).customer_debited_date, /\.\d{3}Z$/);
  assert.doesNotMatch((await one(id)).created_date, /\./);
  world.ship(order.id);
  assert.match(await state(), /^(SHIPPED|TO_COLLECT)$/);
  world.deliver(order.id);
  assert.match(await state(), /^(RECEIVED|CLOSED)$/);
  assert.notEqual((await one(id)).order_lines[0].received_date, null);
  world.refund(order.id);
  assert.match(await state(), /^(RECEIVED|CLOSED)$/, 'a refund is no state');
  assert.equal((await one(id)).fully_refunded, true);
  assert.equal((await one(id)).order_lines[0].order_line_state, 'REFUNDED');
});

test('refused before the debit, cancelled afterwards', async (t) => {
  const { world, one } = await open(t);
  const [refused, cancelled] = [world.place(), world.place()];
  world.cancel(refused.id, 'seller');
  world.pay(cancelled.id);
  world.cancel(cancelled.id);

  assert.equal((await one(orderIdOf(refused))).order_state, 'REFUSED');
  const { order_state, order_lines } = await one(orderIdOf(cancelled));
  assert.equal(order_state, 'CANCELED');
  assert.equal(order_lines[0].cancelations.length, 1);
});

test('refunds add up to the total, with what was given back before', async (t) => {
  const { world, one } = await open(t);
  const order = world.place({ lines: [{ quantity: 2 }, {}] });
  world.pay(order.id);
  world.refund(order.id, '10.00');
  world.refund(order.id);

  const { order_lines, total_price } = await one(orderIdOf(order));
  const parts = order_lines.flatMap(({ refunds }: Json) => refunds);
  const sum = parts.reduce(
    (all: number, { amount, shipping_amount, fees }: Json) =>
      all + amount + shipping_amount + (fees[0]?.amount ?? 0),
    0,
  );

  assert.equal(parts.length, 3);
  assert.equal(Math.round(sum * 100), Math.round(total_price * 100));
});

test('switches: a new state, a part that is sent, an incident, another currency', async (t) => {
  const { sim, world, one } = await open(t);
  const order = world.place({ lines: [{}, {}] });
  const id = orderIdOf(order);
  world.pay(order.id);
  const states = async () => (await one(id)).order_lines.map((line: Json) => line.order_line_state);

  sim.switches.partlyShipped.add(id);
  assert.deepEqual(await states(), ['SHIPPED', 'SHIPPING']);
  sim.switches.incidents.add(id);
  assert.deepEqual(await states(), ['INCIDENT_OPEN', 'SHIPPING']);
  assert.equal((await one(id)).has_incident, true);
  sim.switches.foreign.add(id);
  assert.equal((await one(id)).currency_iso_code, 'USD');
  sim.switches.newState.add(id);
  assert.equal((await one(id)).order_state, 'WAITING_NEW_STATE');
});

test('the deprecated call for one order still answers', async (t) => {
  const { world, get } = await open(t);
  const id = orderIdOf(world.place());

  assert.equal((await get(`/orders/${id}`)).body.order_id, id);
  assert.equal((await get('/orders/TG_99999-A')).status, 404);
});

test('documents of an order: a delivery bill, sometimes an invoice; several at once are an archive', async (t) => {
  const { world, get, list } = await open(t);
  world.fill({ orders: 60, days: 30 });
  const { orders } = await list();
  const invoiced = orders.find(({ has_invoice }: Json) => has_invoice).order_id;

  const { order_documents } = (await get(`/orders/documents?order_ids=${invoiced}`)).body;
  const [bill, invoice] = order_documents;

  assert.deepEqual([bill.type, invoice.type], ['SYSTEM_DELIVERY_BILL', 'CUSTOMER_INVOICE']);
  const download = (ids: string) => get(`/orders/documents/download?document_ids=${ids}`);
  assert.match(
    (await download(String(invoice.id))).text,
    new RegExp(`<cfdi:Comprobante .*Folio="${invoiced}"`),
  );
  assert.match((await download(`${bill.id},${invoice.id}`)).text, /^PK/);
  assert.equal((await download('12')).status, 404);
});

test('offers have the number that is on the shelf', async (t) => {
  const { world, get } = await open(t);
  const [sku = '', quantity] = [...world.stock()][0] ?? [];

  const { offers, total_count } = (await get(`/offers?max=100&sku=${sku}`)).body;

  assert.equal(total_count, 1);
  assert.equal(offers[0].quantity, quantity);
  assert.deepEqual((await get(`/offers/${offers[0].offer_id}/quantity`)).body, {
    offer_id: offers[0].offer_id,
    quantity,
  });
  assert.equal((await get('/offers?max=100')).body.total_count, world.stock().size);
});

test('the transaction log goes by tokens, and its newest balance is what was not paid out', async (t) => {
  const { world, get } = await open(t);
  world.fill({ orders: 80, days: 40 });
  const rows: Json[] = [];
  for (let token = ''; ; ) {
    const page = (await get(`/sellerpayment/transactions_logs?limit=50${token}`)).body;
    rows.push(...page.data);
    if (page.next_page_token === null) break;
    token = `&page_token=${page.next_page_token}`;
  }

  const unpaid = rows.filter(({ payment_state }) => payment_state !== 'PAID');
  const sum = unpaid.reduce((all, { amount }) => all + amount, 0);

  assert.ok(rows.some(({ type, amount }) => type === 'PAYMENT' && amount < 0));
  assert.ok(rows.some(({ payment_state }) => payment_state === 'PENDING'));
  assert.equal(Math.round(rows[0].balance * 100), Math.round(sum * 100));
  const payable = (await get('/sellerpayment/transactions_logs?payment_state=PAYABLE&limit=2000'))
    .body.data;
  assert.equal(
    payable.length,
    rows.filter(({ payment_state }) => payment_state === 'PAYABLE').length,
  );
});

test('each billing cycle pays what its transactions come to', async (t) => {
  const { world, get } = await open(t);
  world.fill({ orders: 80, days: 60 });

  const cycles = (await get('/seller-billing-cycles?limit=1000')).body.data;
  const rows = (await get('/sellerpayment/transactions_logs?limit=2000')).body.data;

  assert.ok(cycles.length > 3);
  for (const { id, amount_transferred_to_seller } of cycles) {
    const payment = rows.find(
      (row: Json) => row.type === 'PAYMENT' && row.seller_billing_cycle_id === id,
    );
    assert.equal(payment.amount, -amount_transferred_to_seller);
  }
  assert.deepEqual(cycles.at(-1).pay_out, { state: 'TO_PAY' });
});

test('over the limit a call is answered with 429, with and without a pause', async (t) => {
  const { clock, get } = await open(t, { perMinute: 2, retryAfter: 30 });
  await get('/account');
  await get('/account');

  const { status, headers, body } = await get('/account');

  assert.deepEqual([status, headers.get('retry-after'), body.status], [429, '30', 429]);
  clock.at += MINUTE;
  assert.equal((await get('/account')).status, 200);

  const silent = await open(t, { perMinute: 0 });
  const refused = await silent.get('/account');
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, null]);
});

test('a folder of documents is served by shape, with every digit as it was written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mirakl-'));
  t.after(() => rm(folder, { recursive: true }));
  const save = (name: string, text: string) => writeFile(join(folder, name), text);
  await save(
    'orders.json',
    '{"orders":[{"order_id":"MX_1-A","order_state":"SHIPPED","total_price":440.00}],"total_count":1}',
  );
  await save('order.json', '{"order_id":"MX_2-A","order_lines":[]}');
  await save('account.json', '{"shop_id":777,"shop_state":"OPEN"}');
  await save('logs.json', '{"data":[{"amount":1.50,"payment_state":"PENDING"}]}');
  await save('reasons.json', '{"reasons":[]}');
  const { sim, world, get } = await open(t, { replay: folder });
  world.place();

  const answer = await get('/orders');

  assert.match(answer.text, /"total_price":440\.00/);
  assert.equal(answer.body.total_count, 2);
  assert.deepEqual((await get('/orders?order_ids=MX_2-A')).body.orders, [
    { order_id: 'MX_2-A', order_lines: [] },
  ]);
  assert.equal((await get('/account')).body.shop_id, 777);
  assert.match((await get('/sellerpayment/transactions_logs')).text, /"amount":1\.50/);
  assert.ok(
    (await get('/offers')).body.total_count > 0,
    'what the folder lacks comes from the world',
  );
  assert.deepEqual(sim.replayed.ignored, ['reasons.json']);
  assert.equal(sim.shops[0]?.id, 777);
});

test('chance breaks answers, and afterwards they are whole', async (t) => {
  const { sim, world, get } = await open(t);
  world.fill({ orders: 5, days: 2 });
  sim.faults.random({ probability: 1, kinds: ['expired_token', 'too_many'] });

  const statuses = new Set<number>();
  for (let count = 0; count < 20; count++) statuses.add((await get('/orders')).status);

  assert.deepEqual([...statuses].sort(), [401, 429]);
  sim.faults.stop();
  assert.equal((await get('/orders')).body.total_count, 5);
});
