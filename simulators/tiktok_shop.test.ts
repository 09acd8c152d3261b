import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import test, { type TestContext } from 'node:test';
import { decimal, type Order } from './order.ts';
import { moneyOf } from './tiktok_shop/facts.ts';
import { startTiktokShop, type TiktokShopOptions } from './tiktok_shop/index.ts';
import { orderId } from './tiktok_shop/shop.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const DAY = 86_400_000;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

interface Asked {
  body?: object;
  query?: Record<string, string>;
  /** Sent in the place of the body that was signed. */
  sent?: string;
  signature?: string;
  token?: string;
  at?: number;
  cipher?: string;
}

/** A simulator with a clock that is stopped until advanced, and a caller who signs. */
async function open(t: TestContext, options: TiktokShopOptions = {}) {
  const clock = { at: NOON };
  const sim = await startTiktokShop({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);
  const { access_token, refresh_token, app_key, app_secret } = sim.credentials();

  async function ask(method: string, path: string, asked: Asked = {}): Promise<Json> {
    const {
      body,
      query = {},
      token = access_token,
      at = clock.at,
      cipher = sim.shops[0]?.cipher ?? '',
    } = asked;
    const timestamp = String(Math.floor(at / 1_000));
    const all: Record<string, string> = { ...query, app_key, timestamp, shop_cipher: cipher };
    const text = body ? JSON.stringify(body) : '';
    const joined = Object.keys(all)
      .sort()
      .map((name) => name + all[name])
      .join('');
    const sign = createHmac('sha256', app_secret)
      .update(`${app_secret}${path}${joined}${text}${app_secret}`)
      .digest('hex');
    const address = `${sim.url}${path}?${new URLSearchParams({ ...all, sign: asked.signature ?? sign })}`;
    const answer = await fetch(address, {
      method,
      headers: { 'x-tts-access-token': token, 'content-type': 'application/json' },
      ...(body && { body: asked.sent ?? text }),
    });
    return { http: answer.status, ...((await answer.json()) as object) };
  }

  const search = (body: object = {}, query: Record<string, string> = {}) =>
    ask('POST', '/order/202309/orders/search', { body, query });
  const token = async (verb: string, query: Record<string, string>): Promise<Json> => {
    const asked = new URLSearchParams({ app_key, app_secret, ...query });
    return (await fetch(`${sim.url}/api/v2/token/${verb}?${asked}`)).json();
  };
  return { sim, clock, ask, search, token, access_token, refresh_token };
}

test('a call is answered only with the right signature, over the very bytes of its body', async (t) => {
  const { ask } = await open(t);
  const path = '/order/202309/orders/search';
  const body = { update_time_ge: 1 };

  const right = await ask('POST', path, { body });
  const written = await ask('POST', path, { body, sent: '{ "update_time_ge": 1 }' });
  const wrong = await ask('POST', path, { body, signature: '0'.repeat(64) });
  const late = await ask('POST', path, { body, at: NOON - 301_000 });

  assert.equal(right.code, 0);
  assert.equal(written.code, 106001);
  assert.equal(wrong.code, 106001);
  assert.deepEqual([late.http, late.code], [200, 36009004]);
});

test('a token ends at the announced second, with HTTP 200 and a code', async (t) => {
  const { clock, token, ask, refresh_token } = await open(t);

  const { data } = await token('refresh', { refresh_token, grant_type: 'refresh_token' });
  const again = await token('refresh', { refresh_token, grant_type: 'refresh_token' });
  const asked = () => ask('GET', '/authorization/202309/shops', { token: data.access_token });
  const alive = await asked();
  clock.at = data.access_token_expire_in * 1_000;
  const dead = await asked();

  assert.equal(data.access_token_expire_in, NOON / 1_000 + 604_800);
  assert.notEqual(again.code, 0, 'a refresh token works once');
  assert.equal(alive.data.shops[0].region, 'MX');
  assert.deepEqual([dead.http, dead.code, dead.data], [200, 105002, null]);
});

test('consent gives a code that works once', async (t) => {
  const { sim, token } = await open(t);
  const address = `${sim.url}/open/authorize?service_id=${sim.application.serviceId}&state=abc`;

  const { headers } = await fetch(address, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  const code = back.searchParams.get('code') ?? '';
  const first = await token('get', { auth_code: code, grant_type: 'authorized_code' });
  const second = await token('get', { auth_code: code, grant_type: 'authorized_code' });

  assert.equal(back.searchParams.get('state'), 'abc');
  assert.equal(first.code, 0);
  assert.notEqual(second.code, 0);
});

test('each unit is a line, absent fields are absent, and some texts end with a newline', async (t) => {
  const { sim, search } = await open(t);
  const { id } = sim.world.place({ lines: [{ quantity: 3 }] });

  const { data } = await search();
  const [order] = data.orders;

  assert.equal(order.id, orderId({ id }));
  assert.match(order.id, /^\d{18}$/);
  assert.equal(order.line_items.length, 3);
  assert.equal(new Set(order.line_items.map((line: Json) => line.id)).size, 3);
  assert.ok(order.buyer_email.endsWith('\n') && order.need_upload_invoice.endsWith('\n'));
  for (const field of ['paid_time', 'delivery_time', 'cancel_time', 'tracking_number'])
    assert.ok(!(field in order), field);
  assert.match(order.recipient_address.name, /\*/);
});

test('a search keeps to its window, its order and its pages', async (t) => {
  const { sim, clock, search } = await open(t);
  for (let count = 0; count < 25; count++) {
    clock.at += 60_000;
    sim.world.place();
  }
  const window = { update_time_ge: NOON / 1_000 + 120, update_time_lt: NOON / 1_000 + 25 * 60 };
  const sort = { sort_field: 'update_time', sort_order: 'ASC', page_size: '20' };

  const first = await search(window, sort);
  const second = await search(window, { ...sort, page_token: first.data.next_page_token });
  const empty = await search({ update_time_ge: NOON }, sort);
  const tooMany = await search({}, { page_size: '101' });

  const times = [...first.data.orders, ...second.data.orders].map(
    (order: Json) => order.update_time,
  );
  assert.equal(first.data.total_count, 23);
  assert.deepEqual([first.data.orders.length, second.data.orders.length], [20, 3]);
  assert.deepEqual(times, times.toSorted());
  assert.equal(second.data.next_page_token, '');
  assert.ok(!('orders' in empty.data));
  assert.notEqual(tooMany.code, 0);
});

test('refunds are in returns and cancellations, and leave the order untouched', async (t) => {
  const { sim, clock, ask, search } = await open(t);
  const { world } = sim;
  const [back, gone] = [world.place(), world.place()];
  world.deliver(back.id);
  world.pay(gone.id);
  clock.at += DAY;
  world.takeBack(back.id);
  world.cancel(gone.id);

  const ids = [orderId(back), orderId(gone)];
  const totalOf = (order: Order) => decimal(moneyOf(order).total);
  const claims = { body: { order_ids: ids }, query: { page_size: '50' } };
  const returns = await ask('POST', '/return_refund/202309/returns/search', claims);
  const cancellations = await ask('POST', '/return_refund/202309/cancellations/search', claims);
  const { data } = await search({ update_time_ge: NOON / 1_000 + 60 });

  assert.deepEqual(
    returns.data.return_orders.map((row: Json) => [row.order_id, row.refund_amount.refund_total]),
    [[ids[0], totalOf(back)]],
  );
  assert.deepEqual(
    cancellations.data.cancellations.map((row: Json) => [
      row.order_id,
      row.refund_amount.refund_total,
    ]),
    [[ids[1], totalOf(gone)]],
  );
  assert.deepEqual(
    data.orders.map((order: Json) => order.id),
    [ids[1]],
  );
});

test('a coupon is shared out among the pieces, and the sums are as they are defined', async (t) => {
  const { sim, search } = await open(t);
  sim.world.place({
    lines: [
      { quantity: 3, listPrice: '229.00', unitPrice: '171.75' },
      { quantity: 1, unitPrice: '80.00' },
    ],
    coupon: '20.00',
    shipping: '99.00',
  });
  for (let count = 0; count < 60; count++)
    sim.world.place({ coupon: count % 2 ? '15.00' : '0.00' });

  const { data } = await search({}, { page_size: '100', sort_order: 'ASC' });

  const [{ line_items, payment }] = data.orders;
  assert.deepEqual(
    line_items.map((piece: Json) => piece.sale_price),
    ['165.98', '165.98', '165.98', '77.31'],
  );
  assert.deepEqual(
    [payment.sub_total, payment.shipping_fee, payment.total_amount],
    ['575.25', '99.00', '674.25'],
  );
  for (const order of data.orders) {
    const { payment: sums, line_items: pieces } = order;
    const sumOf = (field: string) =>
      pieces.reduce((all: number, piece: Json) => all + inCents(piece[field]), 0);
    const [list, sale] = [sumOf('original_price'), sumOf('sale_price')];
    const discounts = inCents(sums.seller_discount) + inCents(sums.platform_discount);
    const free =
      inCents(sums.shipping_fee_seller_discount) + inCents(sums.shipping_fee_platform_discount);
    const fees = inCents(sums.shipping_fee) + inCents(sums.handling_fee ?? '0');
    assert.equal(inCents(sums.original_total_product_price), list);
    assert.equal(inCents(sums.sub_total), list - discounts);
    assert.equal(inCents(sums.sub_total), sale);
    assert.equal(inCents(sums.shipping_fee), inCents(sums.original_shipping_fee) - free);
    assert.equal(inCents(sums.total_amount), sale + fees);
  }
});

test('a piece is cancelled while the others go on', async (t) => {
  const { sim, clock, ask, search } = await open(t);
  const order = sim.world.place({ lines: [{ quantity: 3, unitPrice: '50.00' }], shipping: '0.00' });
  sim.world.pay(order.id);
  clock.at += 60_000;
  sim.switches.cancelledPieces.set(order.id, [{ index: 1, at: clock.at }]);

  const claims = { body: { order_ids: [orderId(order)] }, query: { page_size: '50' } };
  const { data } = await ask('POST', '/return_refund/202309/cancellations/search', claims);
  const [document] = (await search()).data.orders;

  const [first, second, third] = document.line_items;
  assert.deepEqual(
    [first, second, third].map(({ display_status }) => display_status === 'CANCELLED'),
    [false, true, false],
  );
  assert.equal(document.update_time, clock.at / 1_000);
  assert.equal(document.payment.total_amount, '150.00');
  assert.deepEqual(
    data.cancellations.map((row: Json) => [
      row.refund_amount.refund_total,
      row.cancel_line_items[0].order_line_item_id,
    ]),
    [['50.00', second.id]],
  );
});

test('more calls in a minute than it allows are refused', async (t) => {
  const { search, sim } = await open(t, { perMinute: 2 });
  await search();
  await search();

  const loud = await search();
  sim.switches.limitInBody = true;
  const quiet = await search();

  assert.deepEqual([loud.http, loud.code], [429, 36009002]);
  assert.deepEqual([quiet.http, quiet.code], [200, 36009002]);
});

function inCents(amount: string): number {
  return Math.round(Number(amount) * 100);
}
