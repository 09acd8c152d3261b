import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import {
  type MercadoLibre,
  type MercadoLibreOptions,
  startMercadoLibre,
} from './mercado_libre/index.ts';

const NOON = Date.parse('2026-11-16T18:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

// biome-ignore lint/suspicious/noExplicitAny: foreign documents, read by tests only
type Json = any;

function orderReport(sim: MercadoLibre, begin: number, end: number): Promise<Response> {
  const headers = {
    authorization: `Bearer ${sim.credentials().access_token}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({
    begin_date: new Date(begin).toISOString(),
    end_date: new Date(end).toISOString(),
  });
  return fetch(`${sim.url}/v1/account/release_report`, { method: 'POST', headers, body });
}

/** A simulator with a clock that is stopped until advanced, and a caller with good credentials. */
async function open(t: TestContext, options: MercadoLibreOptions = {}) {
  const clock = { at: NOON };
  const sim = await startMercadoLibre({ seed: 1, now: () => clock.at, ...options });
  t.after(sim.close);
  const { user_id, access_token } = sim.credentials();
  let authorization = `Bearer ${access_token}`;

  async function get(path: string, headers: Record<string, string> = {}) {
    const answer = await fetch(`${sim.url}${path}`, {
      headers: { authorization, ...headers },
      redirect: 'manual',
    });
    const text = await answer.text();
    const json = answer.headers.get('content-type')?.includes('json');
    return {
      status: answer.status,
      headers: answer.headers,
      text,
      body: (json ? JSON.parse(text) : null) as Json,
    };
  }

  const search = async (query = '') =>
    (await get(`/orders/search?seller=${user_id}${query}`)).body as Json;
  const found = async (query = '') =>
    ((await search(query)).results as Json[]).map(({ id }) => String(id));

  async function token(form: Record<string, string>) {
    const { clientId: client_id, clientSecret: client_secret } = sim.application;
    const answer = await fetch(`${sim.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id, client_secret, ...form }),
    });
    return { status: answer.status, body: (await answer.json()) as Json };
  }

  async function consent(more: Record<string, string> = {}) {
    const { clientId: client_id, redirectUri: redirect_uri } = sim.application;
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri,
      state: 'ábc',
      ...more,
    });
    const { headers, status } = await get(`/authorization?${asked}`);
    const back = headers.get('location');
    return { status, back: back ? new URL(back).searchParams : new URLSearchParams() };
  }

  return {
    sim,
    world: sim.world,
    clock,
    user: user_id,
    get,
    search,
    found,
    token,
    consent,
    use: (accessToken: string) => {
      authorization = `Bearer ${accessToken}`;
    },
  };
}

// Consent and tokens

test('consent comes back to the registered address with a code and the state, and the code buys tokens', async (t) => {
  const { sim, consent, token, use, get, user } = await open(t);

  const { status, back } = await consent();
  const { body } = await token({
    grant_type: 'authorization_code',
    code: back.get('code') ?? '',
    redirect_uri: sim.application.redirectUri,
  });

  assert.deepEqual([status, back.get('state')], [302, 'ábc']);
  assert.deepEqual(Object.keys(body), [
    'access_token',
    'token_type',
    'expires_in',
    'scope',
    'user_id',
    'refresh_token',
  ]);
  assert.match(body.access_token, /^APP_USR-/);
  assert.match(body.refresh_token, /^TG-/);
  assert.deepEqual([body.expires_in, body.user_id], [21_600, user]);
  use(body.access_token);
  assert.equal((await get('/users/me')).body.id, user);
});

test('a code is good once, for ten minutes, and for exactly the registered address', async (t) => {
  const { sim, clock, consent, token } = await open(t);
  const redirect_uri = sim.application.redirectUri;
  const buy = async (code: string, address = redirect_uri) =>
    (await token({ grant_type: 'authorization_code', code, redirect_uri: address })).body.error ??
    'ok';
  const code = async () => (await consent()).back.get('code') ?? '';

  const used = await code();
  assert.deepEqual([await buy(used), await buy(used)], ['ok', 'invalid_grant']);
  assert.equal(await buy(await code(), `${redirect_uri}/`), 'invalid_grant');
  const late = await code();
  clock.at += 10 * MINUTE;
  assert.equal(await buy(late), 'invalid_grant');
});

test('with a PKCE challenge only its verifier buys tokens', async (t) => {
  const { sim, consent, token } = await open(t);
  const verifier = 'v'.repeat(50);
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const buy = async (more: Record<string, string>) => {
    const { back } = await consent({ code_challenge, code_challenge_method: 'S256' });
    const asked = { grant_type: 'authorization_code', code: back.get('code') ?? '', ...more };
    return (
      (await token({ ...asked, redirect_uri: sim.application.redirectUri })).body.error ?? 'ok'
    );
  };

  assert.equal(await buy({ code_verifier: verifier }), 'ok');
  assert.equal(await buy({ code_verifier: 'w'.repeat(50) }), 'invalid_grant');
  assert.equal(await buy({}), 'invalid_request');
  sim.switches.requirePkce = true;
  assert.equal((await consent()).back.get('error'), 'invalid_request');
});

test('a refusal and an operator come back with an error instead of a code', async (t) => {
  const { sim, consent } = await open(t);

  assert.equal((await consent({ simulate_consent: 'refuse' })).back.get('error'), 'access_denied');
  sim.switches.consent = 'operator';
  assert.equal((await consent()).back.get('error'), 'invalid_operator_user_id');
  assert.equal((await consent({ redirect_uri: 'http://127.0.0.1/other' })).status, 400);
});

test('a refresh token is good once and only the newest is good at all', async (t) => {
  const { sim, token } = await open(t);
  const refresh = async (refresh_token: string) =>
    token({ grant_type: 'refresh_token', refresh_token });

  const old = sim.credentials().refresh_token;
  const first = (await refresh(old)).body.refresh_token;
  const second = (await refresh(first)).body.refresh_token;

  for (const dead of [old, first, 'TG-nonsense-1']) {
    const { status, body } = await refresh(dead);
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body).sort(), ['cause', 'error', 'error_description', 'status']);
    assert.equal(body.error, 'invalid_grant');
  }
  assert.equal((await refresh(second)).status, 200);
});

test('a wrong secret, an unknown grant and parameters outside the form are refused by name', async (t) => {
  const { sim, token } = await open(t);

  assert.equal(
    (await token({ grant_type: 'refresh_token', client_secret: 'no' })).body.error,
    'invalid_client',
  );
  assert.equal((await token({ grant_type: 'password' })).body.error, 'unsupported_grant_type');
  const json = await fetch(`${sim.url}/oauth/token`, { method: 'POST', body: '{}' });
  assert.equal(((await json.json()) as Json).error, 'invalid_request');
});

test('an access token dies of age, of expiry by hand and of revocation, and never works in the query', async (t) => {
  const { sim, clock, get, use, token } = await open(t, { tokenSeconds: 60 });
  const { access_token, refresh_token } = sim.credentials();
  use('');
  assert.equal((await get(`/users/me?access_token=${access_token}`)).status, 401);
  use(access_token);
  assert.equal((await get('/users/me')).status, 200);

  clock.at += MINUTE;
  const { status, body } = await get('/users/me');
  assert.deepEqual([status, Object.keys(body)], [401, ['message', 'error', 'status', 'cause']]);

  use(sim.credentials().access_token);
  sim.expireTokens();
  assert.equal((await get('/users/me')).status, 401);
  const renewed = await token({ grant_type: 'refresh_token', refresh_token });
  use(renewed.body.access_token);
  assert.equal((await get('/users/me')).status, 200);

  sim.revoke();
  assert.equal((await get('/users/me')).status, 401);
  const again = await token({
    grant_type: 'refresh_token',
    refresh_token: renewed.body.refresh_token,
  });
  assert.equal(again.body.error, 'invalid_grant');
});

test('credentials outlive a restart of the simulator', async (t) => {
  const before = await open(t);
  const { refresh_token } = before.sim.credentials();
  const renewed = await before.token({ grant_type: 'refresh_token', refresh_token });
  const after = await open(t);

  after.use(renewed.body.access_token);

  assert.equal((await after.get('/users/me')).status, 200);
  const next = { grant_type: 'refresh_token', refresh_token: renewed.body.refresh_token };
  assert.equal((await after.token(next)).status, 200);
});

// Search

test('only the hour of a date filter counts', async (t) => {
  const { world, found } = await open(t);
  const { id } = world.place({ at: Date.parse('2026-11-16T10:30:00Z') });
  const asked = (from: string, to: string) =>
    found(`&order.date_created.from=2026-11-16T${from}Z&order.date_created.to=2026-11-16T${to}Z`);

  assert.deepEqual(await asked('10:45:00', '11:00:00'), [id]);
  assert.deepEqual(await asked('10:00:00', '10:59:59'), []);
});

test('order.last_updated.from is ignored silently, order.date_last_updated.from is not', async (t) => {
  const { world, found } = await open(t);
  const { id } = world.place({ at: NOON - 3 * DAY });
  const from = encodeURIComponent(new Date(NOON - DAY).toISOString());

  assert.deepEqual(await found(`&order.last_updated.from=${from}`), [id]);
  assert.deepEqual(await found(`&order.date_last_updated.from=${from}`), []);
  world.pay(id);
  assert.deepEqual(await found(`&order.date_last_updated.from=${from}`), [id]);
});

test('a page holds fifty, for every request, and deep offsets are refused', async (t) => {
  const { world, search, get, user } = await open(t);
  world.fill({ orders: 130, days: 30 });

  const { paging, results } = await search('&limit=200&offset=50');

  assert.deepEqual([paging.limit, paging.offset, results.length], [50, 50, 50]);
  assert.equal((await get(`/orders/search?seller=${user}&offset=9999`)).status, 200);
  assert.equal((await get(`/orders/search?seller=${user}&offset=10000`)).status, 400);
});

test('rows come by date_closed, ascending by default, not by their last change', async (t) => {
  const { world, clock, found, search } = await open(t);
  const [one, two] = [world.place(), world.place()];
  clock.at += HOUR;
  world.pay(two.id);
  clock.at += HOUR;
  world.pay(one.id);
  clock.at += HOUR;
  world.ship(two.id);

  assert.deepEqual(await found(), [two.id, one.id]);
  assert.deepEqual(await found('&sort=date_desc'), [one.id, two.id]);
  assert.equal((await search()).sort.id, 'date_asc');
});

test('rows shift while one is paging, because a payment moves them', async (t) => {
  const { world, clock, found } = await open(t);
  const orders = [0, 1, 2, 3].map((index) => world.place({ at: NOON - (10 - index) * HOUR }).id);

  const first = await found('&limit=2');
  clock.at += 1_000;
  world.pay(orders[0] ?? '');
  const second = await found('&limit=2&offset=2');

  assert.deepEqual([...first, ...second], [orders[0], orders[1], orders[3], orders[0]]);
});

test('cancelled orders are left out, even when requested; not concretised ones stay confirmed', async (t) => {
  const { world, found, get } = await open(t);
  const [bought, sold] = [world.place(), world.place()];

  world.cancel(bought.id, 'buyer');
  world.cancel(sold.id, 'seller');

  assert.deepEqual(await found(), [sold.id]);
  assert.deepEqual(await found('&order.status=cancelled'), []);
  const { body } = await get(`/orders/${bought.id}`);
  assert.deepEqual([body.status, body.cancel_detail.requested_by], ['cancelled', 'buyer']);
  const kept = (await get(`/orders/${sold.id}`)).body;
  assert.equal(kept.status, 'confirmed');
  assert.ok(kept.tags.includes('unfulfilled'));
});

test('a row has the whole order, with the index time in UTC and the business time at -04:00 or -03:00', async (t) => {
  const { world, search, get } = await open(t);
  world.fill({ orders: 200, days: 90 });

  const { results } = (await search()) as { results: Json[] };

  const [row] = results;
  const { date_last_updated, ...rest } = row;
  assert.deepEqual((await get(`/orders/${row.id}`)).body, rest);
  assert.match(date_last_updated, /Z$/);
  const zones = new Set(results.map(({ last_updated }) => last_updated.slice(-6)));
  assert.deepEqual(zones, new Set(['-04:00', '-03:00']));
  const lag = results.map(
    (one) => Date.parse(one.date_last_updated) - Date.parse(one.last_updated),
  );
  assert.ok(lag.every((milliseconds) => milliseconds >= 0));
  assert.ok(lag.some((milliseconds) => milliseconds > 4 * DAY));
});

test('status and tag filters, products and ids are looked for', async (t) => {
  const { world, found, get } = await open(t);
  const [paid, open1] = [world.place({ inPerson: true }), world.place()];
  world.pay(paid.id);
  const item = (await get(`/orders/${paid.id}`)).body.order_items[0].item.id;

  assert.deepEqual(await found('&order.status=paid,partially_refunded'), [paid.id]);
  assert.deepEqual(await found('&tags=no_shipping'), [paid.id]);
  assert.deepEqual(await found('&tags.not=paid'), [open1.id]);
  assert.deepEqual(await found(`&q=${open1.id}`), [open1.id]);
  assert.ok((await found(`&item=${item}`)).includes(paid.id));
});

test('a seller cannot search or read the data of another seller', async (t) => {
  const { sim, get } = await open(t, { sellers: [111, 222] });
  const theirs = sim.sellers[1]?.world.place().id;

  assert.equal((await get('/orders/search?seller=222')).status, 403);
  const { status, body } = await get(`/orders/${theirs}`);
  assert.deepEqual([status, body.error], [403, 'not_owned_order']);
});

// Orders, packs, shipments

test('ids lie above 2^50 and are unknown or invalid by the documented names', async (t) => {
  const { world, get } = await open(t);
  const { id } = world.place();

  const { text } = await get(`/orders/${id}`);

  assert.match(text, new RegExp(`^{"id":${id},`));
  assert.ok(Number(id) > 2 ** 50 && Number.isSafeInteger(Number(id)));
  assert.equal((await get('/orders/2000000000000990')).body.error, 'order_not_found');
  assert.equal((await get('/orders/abc')).body.error, 'invalid_order_id');
});

test('amounts are exact; prices before discounts are per piece, per line, or both', async (t) => {
  const { world, get } = await open(t);
  const line = { sku: 'TG-0001', quantity: 3, unitPrice: '129.95', listPrice: '149.90' };
  const placed = Array.from({ length: 15 }, () => world.place({ lines: [line] }));
  for (const { id } of placed) world.pay(id);

  const bodies: Json[] = await Promise.all(
    placed.map(async ({ id }) => (await get(`/orders/${id}`)).body),
  );

  const items = bodies.map(({ order_items: [item] }) => item);
  for (const [index, item] of items.entries()) {
    assert.deepEqual([item.unit_price, item.sale_fee], [129.95, 16.89], 'of one piece');
    assert.deepEqual(
      [bodies[index].total_amount, bodies[index].payments[0].transaction_amount],
      [389.85, 389.85],
    );
  }
  assert.deepEqual(new Set(items.map((item) => item.full_unit_price)), new Set([149.9, undefined]));
  assert.deepEqual(new Set(items.map((item) => item.gross_price)), new Set([449.7, undefined]));
  assert.ok(items.every((item) => item.full_unit_price ?? item.gross_price));
  const parts = items.flatMap((item) => item.discounts ?? []).map(({ amounts }) => amounts);
  assert.ok(parts.every(({ full }) => full === 19.95));
  assert.ok(
    new Set(parts.map(({ seller }) => seller)).size > 1,
    'not always the seller pays for all of it',
  );
  const { details } = (await get(`/orders/${placed[0]?.id}/discounts`)).body;
  assert.equal(details[0].items[0].amounts.total, 19.95);
});

test('a coupon and the shipping are no part of the total, but of what was paid', async (t) => {
  const { world, get } = await open(t);
  const line = { sku: 'TG-0001', quantity: 1, unitPrice: '171.75' };
  const placed = Array.from({ length: 8 }, () =>
    world.place({ lines: [line], coupon: '20.00', shipping: '99.00' }),
  );
  const cart = world.placeCart([
    { lines: [line], shipping: '60.00' },
    { lines: [line], shipping: '39.50' },
  ]);
  for (const { id } of [...placed, ...cart]) world.pay(id);
  const read = async (id: string) => (await get(`/orders/${id}`)).body;
  const costOf = async (order: Json) =>
    (await get(`/shipments/${order.shipping.id}`, { 'x-format-new': 'true' })).body.lead_time.cost;

  const alone = (await Promise.all(placed.map(({ id }) => read(id)))).find(
    ({ pack_id }) => pack_id === null,
  );
  const packed = await read(cart[0]?.id ?? '');

  assert.deepEqual(
    [alone.total_amount, alone.coupon.amount, alone.paid_amount],
    [171.75, 20, 250.75],
  );
  const [{ coupon_amount, shipping_cost, total_paid_amount }] = alone.payments;
  assert.deepEqual([coupon_amount, shipping_cost, total_paid_amount], [20, 99, 250.75]);
  assert.equal(await costOf(alone), 99);
  assert.deepEqual([packed.paid_amount, packed.payments[0].shipping_cost], [171.75, 0]);
  assert.equal(await costOf(packed), 99.5, 'of the pack');
});

test('an order of a cart has a pack with the others, one shipment, and times without a colon', async (t) => {
  const { world, get } = await open(t);
  const [one, two] = world.placeCart([{}, {}]);
  assert.ok(one && two);
  for (const { id } of [one, two]) world.pay(id);

  const bodies = [(await get(`/orders/${one.id}`)).body, (await get(`/orders/${two.id}`)).body];

  assert.equal(bodies[0].pack_id, bodies[1].pack_id);
  assert.equal(bodies[0].shipping.id, bodies[1].shipping.id);
  const pack = (await get(`/packs/${bodies[0].pack_id}`)).body;
  assert.deepEqual(
    pack.orders.map(({ id }: Json) => String(id)),
    [one.id, two.id],
  );
  assert.equal(pack.shipment.id, bodies[0].shipping.id);
  assert.match(pack.date_created, /-0400$/);
});

test('many orders have no pack: their own id stands in its place', async (t) => {
  const { world, search, get } = await open(t);
  world.fill({ orders: 60, days: 30 });

  const { results } = await search();
  const alone = results.find(({ pack_id }: Json) => pack_id === null);

  const { body } = await get(`/packs/${alone.id}`);
  assert.deepEqual(body.orders, [{ id: alone.id }]);
  assert.equal((await get('/packs/2050000000000999')).body.message, 'Order do not exists');
});

test('a shipment appears only after the payment: first null and 204, and never for goods handed over', async (t) => {
  const { sim, world, clock, get } = await open(t);
  sim.switches.shipmentDelaySeconds = 60;
  const [sent, handed] = [world.place(), world.place({ inPerson: true })];
  for (const { id } of [sent, handed]) world.pay(id);
  const shipments = (id: string) => get(`/orders/${id}/shipments`, { 'x-new-domain': 'true' });

  assert.equal((await get(`/orders/${sent.id}`)).body.shipping.id, null);
  assert.equal((await shipments(sent.id)).status, 204);
  clock.at += MINUTE;
  assert.notEqual((await get(`/orders/${sent.id}`)).body.shipping.id, null);
  assert.equal((await shipments(sent.id)).status, 200);
  assert.equal((await shipments(handed.id)).status, 204);
});

test('what travels in a shipment names the orders that it belongs to', async (t) => {
  const { world, get } = await open(t);
  const cart = world.placeCart([{}, {}]);
  for (const { id } of cart) world.pay(id);

  const { body: order } = await get(`/orders/${cart[0]?.id}`);
  const { body } = await get(`/shipments/${order.shipping.id}/items`);

  assert.deepEqual(
    body.map(({ order_id }: Json) => String(order_id)),
    cart.map(({ id }) => id),
  );
  assert.equal(body[0].item_id, order.order_items[0].item.id);
});

test('what came after the first parcel is listed before it, and only where all is requested', async (t) => {
  const { sim, world, clock, get } = await open(t);
  const { id } = world.place();
  world.takeBack(id);
  sim.switches.sentAgain.set(id, [{ state: 'shipped', at: clock.at + MINUTE }]);
  const list = (query = '') => get(`/orders/${id}/shipments${query}`, { 'x-new-domain': 'true' });
  const typesOf = ({ body }: Json) => body.map(({ type }: Json) => type);

  assert.deepEqual(typesOf(await list()), ['forward']);
  assert.deepEqual(typesOf(await list('?list_all=true')), ['return', 'forward']);
  clock.at += MINUTE;
  const all = await list('?list_all=true');

  assert.deepEqual(typesOf(all), ['return_to_buyer', 'return', 'forward']);
  const documents = await Promise.all(
    all.body.map((one: Json) => get(`/shipments/${one.id}`, { 'x-format-new': 'true' })),
  );
  assert.deepEqual(
    documents.map(({ body }) => [body.status, body.logistic.direction, body.lead_time.cost]),
    [
      ['shipped', 'return_to_buyer', 0],
      ['delivered', 'return', 0],
      ['delivered', 'forward', 0],
    ],
  );
  assert.equal(
    (await get(`/orders/${id}/shipments`)).status,
    404,
    'the single object of old is gone',
  );
});

test('stock that is kept by place is notified under its user product, which names its items', async (t) => {
  const { sim, world, get, user } = await open(t);
  sim.switches.multiOrigin = true;
  const order = world.place();
  sim.notifications.notifyTo(null);
  await sim.notifications.flush();

  const { body } = await get(
    `/missed_feeds?app_id=${sim.application.clientId}&topic=stock-location`,
  );
  const [{ resource }] = body.messages;
  const [, userProduct] = /^\/user-products\/(\w+)\/stock$/.exec(resource) ?? [];
  const items = (await get(`/users/${user}/items/search?user_product_id=${userProduct}`)).body
    .results;

  const sold = (await get(`/orders/${order.id}`)).body.order_items[0].item;
  assert.equal(sold.user_product_id, userProduct);
  assert.deepEqual(items, [sold.id]);
});

test('only the shipment says shipped and delivered, and only it knows the name of the buyer', async (t) => {
  const { world, get } = await open(t);
  const { id } = world.place({ buyer: { firstName: 'Íñigo', lastName: 'Núñez Peña' } });
  const seen: Json[] = [];
  for (const act of [world.pay, world.pack, world.ship, world.deliver]) {
    act(id);
    const order = (await get(`/orders/${id}`)).body;
    const shipment = (await get(`/shipments/${order.shipping.id}`, { 'x-format-new': 'true' }))
      .body;
    assert.deepEqual(Object.keys(order.buyer), ['id', 'billing_info']);
    assert.equal(shipment.destination.receiver_name, 'Íñigo Núñez Peña');
    seen.push([order.status, order.tags.includes('delivered'), shipment.status]);
  }

  assert.deepEqual(seen, [
    ['paid', false, 'handling'],
    ['paid', false, 'ready_to_ship'],
    ['paid', false, 'shipped'],
    ['paid', false, 'delivered'],
  ]);
});

test('without its header a shipment comes in the old, flat shape', async (t) => {
  const { world, get } = await open(t);
  const { id } = world.place();
  world.ship(id);
  const shipping = (await get(`/orders/${id}`)).body.shipping.id;

  const { body } = await get(`/shipments/${shipping}`);

  assert.equal(typeof body.receiver_address.receiver_name, 'string');
  assert.equal(typeof body.logistic_type, 'string');
  assert.equal(body.logistic, undefined);
  assert.equal((await get(`/shipments/${shipping}/costs`)).body.receiver.cost, 0);
  assert.equal((await get('/shipments/1')).status, 404);
});

test('a partial order is 206, says what is missing, and is whole again later', async (t) => {
  const { sim, world, get } = await open(t);
  const { id } = world.place();
  sim.switches.partialOrders.add(id);

  const partial = await get(`/orders/${id}`);
  sim.switches.partialOrders.delete(id);

  assert.deepEqual(
    [partial.status, partial.headers.get('x-content-missing')],
    [206, 'buyer, feedback'],
  );
  assert.deepEqual([partial.body.buyer, partial.body.feedback], [{}, {}]);
  assert.equal((await get(`/orders/${id}`)).status, 200);
});

test('refunds show in the payment, and a part of it in the status', async (t) => {
  const { world, get } = await open(t);
  const [part, all] = [world.place(), world.place()];
  world.refund(part.id, '10.00');
  world.takeBack(all.id);
  world.refund(all.id);

  const [one, two] = [
    (await get(`/orders/${part.id}`)).body,
    (await get(`/orders/${all.id}`)).body,
  ];

  assert.deepEqual(
    [one.status, one.payments[0].transaction_amount_refunded],
    ['partially_refunded', 10],
  );
  assert.deepEqual([two.status, two.payments[0].status], ['paid', 'refunded']);
});

test('where the switch says so, a shipment moves without moving its order', async (t) => {
  const { sim, world, clock, search } = await open(t);
  sim.switches.shipmentMovesOrder = false;
  const { id } = world.place();
  world.pay(id);
  clock.at += 1_000;
  const before = (await search()).results[0];
  clock.at += HOUR;
  world.deliver(id);

  assert.deepEqual((await search()).results[0], before);
});

// Inventory

test('items are listed to offset 1,000 and beyond by a scroll that lives five minutes', async (t) => {
  const { mercadoLibreWorld } = await import('./mercado_libre/index.ts');
  const world = mercadoLibreWorld({ now: () => NOON, products: 1_250 });
  const { clock, user, get } = await open(t, { world });
  const path = `/users/${user}/items/search`;

  assert.equal((await get(`${path}?limit=100&offset=950`)).status, 400);
  const seen = new Set<string>();
  let page = (await get(`${path}?search_type=scan&limit=100`)).body;
  while (page.results.length > 0) {
    for (const id of page.results) seen.add(id);
    page = (await get(`${path}?search_type=scan&limit=100&scroll_id=${page.scroll_id}`)).body;
  }
  assert.equal(seen.size, 1_250);
  clock.at += 5 * MINUTE;
  assert.equal((await get(`${path}?search_type=scan&scroll_id=${page.scroll_id}`)).status, 400);
});

test('a scroll that keeps its id gives the next page where one is requested again', async (t) => {
  const { mercadoLibreWorld } = await import('./mercado_libre/index.ts');
  const { user, get, sim } = await open(t, {
    world: mercadoLibreWorld({ now: () => NOON, products: 250 }),
  });
  sim.switches.scrollKeepsId = true;
  const path = `/users/${user}/items/search?search_type=scan&limit=100`;

  const first = (await get(path)).body;
  const [second, third] = [
    (await get(`${path}&scroll_id=${first.scroll_id}`)).body,
    (await get(`${path}&scroll_id=${first.scroll_id}`)).body,
  ];

  assert.deepEqual([second.scroll_id, third.scroll_id], [first.scroll_id, first.scroll_id]);
  assert.deepEqual([second.results.length, third.results.length], [100, 50]);
  assert.equal(third.paging.total, 250);
});

test('twenty items at a time, each with a code of its own, some with variations, some kept by Mercado Libre', async (t) => {
  const { sim, user, get } = await open(t);
  const ids: string[] = (await get(`/users/${user}/items/search`)).body.results;
  sim.switches.goneItems.add(ids[3] ?? '');

  const { body } = await get(`/items?ids=${ids.slice(0, 20)}`);

  assert.equal(body.length, 20);
  assert.deepEqual([body[3].code, body[3].body.error], [404, 'not_found']);
  const items: Json[] = body.filter(({ code }: Json) => code === 200).map((one: Json) => one.body);
  assert.ok(items.some(({ variations }) => variations.length > 0));
  assert.ok(items.some(({ inventory_id }) => inventory_id !== null));
  assert.equal((await get(`/items?ids=${ids.slice(0, 21)}`)).status, 400);
  const pruned = (await get(`/items?ids=${ids[0]}&attributes=id,title`)).body[0].body;
  assert.deepEqual(Object.keys(pruned), ['id', 'title']);
});

test('stock follows the orders, also in the warehouse of Mercado Libre and per place', async (t) => {
  const { sim, world, user, get } = await open(t);
  const product = world.products.find((one) => one.keptByMarketplace && one.variants.length === 0);
  assert.ok(product);
  world.place({ lines: [{ sku: product.sku, quantity: 2 }] });
  const ids: string[] = (await get(`/users/${user}/items/search`)).body.results;
  const items: Json[] = [];
  for (const from of [0, 20]) {
    items.push(
      ...(await get(`/items?ids=${ids.slice(from, from + 20)}`)).body.map((one: Json) => one.body),
    );
  }
  const item = items.find(({ seller_custom_field }) => seller_custom_field === product.sku);

  const left = product.stock - 2;
  assert.equal(item.available_quantity, left);
  const full = (await get(`/inventories/${item.inventory_id}/stock/fulfillment`)).body;
  assert.deepEqual(
    [full.available_quantity, full.total],
    [left, left + full.not_available_quantity],
  );
  const places = async (userProduct: string) =>
    (await get(`/user-products/${userProduct}/stock`)).body.locations as Json[];
  const own = items.find(
    ({ inventory_id, variations }) => inventory_id === null && variations.length === 0,
  );
  sim.switches.multiOrigin = true;
  assert.deepEqual(await places(item.user_product_id), [{ type: 'meli_facility', quantity: left }]);
  const quantities = (await places(own.user_product_id)).map(({ quantity }) => quantity);
  assert.deepEqual(
    [quantities.length, quantities[0] + quantities[1]],
    [2, own.available_quantity],
    'before the switch the item showed all of it',
  );
  assert.equal(
    (await get('/inventories/NADA1/stock/fulfillment')).body.error,
    'seller_product_not_found',
  );
});

// Notifications

async function callback(t: TestContext, answer: () => number | Promise<number>) {
  const received: Json[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push(JSON.parse(String(Buffer.concat(chunks))));
    response.writeHead(await answer()).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

test('a change is notified as a resource and a topic, in the documented body, and nothing else', async (t) => {
  const { sim, world, user } = await open(t);
  const { received, url } = await callback(t, () => 200);
  sim.notifications.notifyTo(url);
  const { id } = world.place();
  world.pay(id);

  const made = await sim.notifications.flush();

  const topics = received.map(({ topic }) => topic);
  assert.deepEqual(topics, ['orders_v2', 'items', 'orders_v2', 'shipments']);
  assert.deepEqual(received[0], {
    resource: `/orders/${id}`,
    user_id: user,
    topic: 'orders_v2',
    application_id: Number(sim.application.clientId),
    attempts: 1,
    sent: new Date(NOON).toISOString(),
    received: new Date(NOON).toISOString(),
  });
  assert.ok(made.every(({ acknowledged }) => acknowledged));
  assert.deepEqual(await sim.notifications.flush(), []);
});

test('notifications come twice and out of order where the switches say so', async (t) => {
  const { sim, world } = await open(t);
  const { received, url } = await callback(t, () => 200);
  sim.notifications.notifyTo(url);
  Object.assign(sim.notifications, { duplicate: true, outOfOrder: true });
  const { id } = world.place({ inPerson: true });
  world.pay(id);

  await sim.notifications.flush();

  assert.deepEqual(
    received.map(({ topic }) => topic),
    ['orders_v2', 'orders_v2', 'items', 'items', 'orders_v2', 'orders_v2'],
  );
});

test('a notification without a 200 is sent again for an hour, then only the missed feeds have it', async (t) => {
  const { sim, world, clock, get, use } = await open(t);
  const { received, url } = await callback(t, () => 503);
  sim.notifications.notifyTo(url);
  const { id } = world.place({ inPerson: true });
  for (let minute = 0; minute <= 60; minute += 1) {
    await sim.notifications.flush();
    clock.at += MINUTE;
  }

  const orders = received.filter(({ topic }) => topic === 'orders_v2');
  assert.deepEqual(
    orders.map(({ attempts }) => attempts),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  const missed = (await get(`/missed_feeds?app_id=${sim.application.clientId}&topic=orders_v2`))
    .body.messages;
  assert.deepEqual(
    missed.map(({ resource }: Json) => resource),
    [`/orders/${id}`],
  );
  assert.equal(
    (await get(`/missed_feeds?app_id=${sim.application.clientId}&topic=items`)).status,
    400,
  );
  clock.at += 2 * DAY;
  use(sim.credentials().access_token);
  assert.deepEqual(
    (await get(`/missed_feeds?app_id=${sim.application.clientId}`)).body.messages,
    [],
  );
});

test('an answer after 500 ms is none', async (t) => {
  const { sim, world } = await open(t);
  assert.equal(sim.switches.patienceMilliseconds, 500);
  sim.switches.patienceMilliseconds = 5;
  const { url } = await callback(t, () => new Promise(() => {}));
  sim.notifications.notifyTo(url);
  world.place({ inPerson: true });

  const [attempt] = await sim.notifications.flush();

  assert.deepEqual([attempt?.status, attempt?.acknowledged], [0, false]);
});

// Mercado Pago

test('there is no balance to ask for, only a report that comes late, with semicolons', async (t) => {
  const { sim, world, clock, user, get } = await open(t);
  const { id, total } = world.place();
  world.deliver(id);
  assert.equal((await get(`/users/${user}/mercadopago_account/balance`)).status, 403);
  assert.equal((await get('/v1/account/balance')).status, 404);

  clock.at += MINUTE;
  const ordered = await orderReport(sim, clock.at - DAY, clock.at);
  assert.equal(ordered.status, 202);
  assert.equal((await get('/v1/account/release_report/list')).body[0].file_name, null);
  clock.at += sim.switches.reportSeconds * 1_000;
  const { file_name } = (await get('/v1/account/release_report/list')).body[0];
  const rows = (await get(`/v1/account/release_report/${file_name}`)).text
    .trim()
    .split('\n')
    .map((row) => row.split(';'));

  assert.deepEqual(
    rows.map((row) => row[3]),
    ['RECORD_TYPE', 'initial_available_balance', 'release', 'total'],
  );
  assert.deepEqual([rows[2]?.[2], rows[2]?.[7]], [id, total]);
});

test('a report is refused without a configuration, below a day, above 60, and into the future', async (t) => {
  const { sim, clock } = await open(t);
  const statusOf = async (begin: number, end: number) =>
    (await orderReport(sim, begin, end)).status;

  const spans = [
    await statusOf(clock.at - DAY + 1, clock.at),
    await statusOf(clock.at - 61 * DAY, clock.at),
    await statusOf(clock.at - DAY, clock.at + 1),
    await statusOf(clock.at - 60 * DAY, clock.at),
  ];
  sim.switches.reportConfigured = false;

  assert.deepEqual(spans, [400, 400, 400, 202]);
  assert.equal(await statusOf(clock.at - DAY, clock.at), 404);
});

test('a report opens with what the one before ended with', async (t) => {
  const { sim, world, clock, get } = await open(t, { tokenSeconds: 10 * DAY });
  world.deliver(world.place().id);
  sim.switches.withdrawals.push({ at: clock.at, amount: '100.00' });
  clock.at += 2 * DAY;
  world.deliver(world.place().id);
  clock.at += MINUTE;
  const closes = async (begin: number, end: number) => {
    await orderReport(sim, begin, end);
    clock.at += sim.switches.reportSeconds * 1_000;
    const { file_name } = (await get('/v1/account/release_report/list')).body.at(-1);
    const rows = (await get(`/v1/account/release_report/${file_name}`)).text.trim().split('\n');
    return { opening: rows[1]?.split(';')[5], closing: rows.at(-1)?.split(';')[5] };
  };

  const first = await closes(clock.at - 4 * DAY, clock.at - DAY);
  const second = await closes(clock.at - DAY, clock.at);

  assert.equal(second.opening, first.closing);
  assert.notEqual(second.closing, second.opening);
});

test('payments are found by the day on which their money is free', async (t) => {
  const { sim, world, clock, user, get } = await open(t);
  const [held, free, back] = [world.place(), world.place(), world.place()];
  world.pay(held.id);
  world.deliver(free.id);
  world.refund(back.id);
  clock.at += MINUTE;
  const coming = `/v1/payments/search?status=approved&range=money_release_date&begin_date=${new Date(clock.at).toISOString()}&end_date=${new Date(clock.at + 60 * DAY).toISOString()}`;

  const { paging, results } = (await get(coming)).body;

  assert.deepEqual(
    [paging.total, results[0].external_reference, String(results[0].collector_id)],
    [1, held.id, String(user)],
  );
  assert.ok(results[0].transaction_details.net_received_amount < Number(held.total));
  sim.switches.paymentsRefused = true;
  assert.equal((await get(coming)).status, 403);
});

test('a pack keeps one PDF and one XML, for its seller alone', async (t) => {
  const { sim, world, get } = await open(t, { sellers: [1, 2] });
  const order = world.place({ inPerson: true });
  world.pay(order.id);
  const pack = (await get(`/orders/${order.id}`)).body.pack_id ?? order.id;
  const upload = (type: string) => {
    const form = new FormData();
    form.append(
      'fiscal_document',
      new Blob(['<cfdi:Comprobante Total="1.00"/>'], { type }),
      'factura.xml',
    );
    const headers = { authorization: `Bearer ${sim.credentials(1).access_token}` };
    return fetch(`${sim.url}/packs/${pack}/fiscal_documents`, {
      method: 'POST',
      headers,
      body: form,
    });
  };
  assert.equal((await get(`/packs/${pack}/fiscal_documents`)).status, 404);

  const first = await upload('text/xml');
  const refusals = [(await upload('application/xml')).status, (await upload('image/png')).status];

  const [id] = ((await first.json()) as Json).ids;
  const listed = (await get(`/packs/${pack}/fiscal_documents`)).body;
  assert.deepEqual(refusals, [409, 406]);
  assert.deepEqual(
    listed.fiscal_documents.map((document: Json) => [
      document.id,
      document.file_type,
      document.filename,
    ]),
    [[id, 'text/xml', 'factura.xml']],
  );
  assert.equal(
    (await get(`/packs/${pack}/fiscal_documents/${id}`)).text,
    '<cfdi:Comprobante Total="1.00"/>',
  );
  const others = { authorization: `Bearer ${sim.credentials(2).access_token}` };
  assert.equal((await get(`/packs/${pack}/fiscal_documents`, others)).status, 403);
});

// Limits and faults

test('over the limit a call is answered with 429 and no Retry-After', async (t) => {
  const { clock, get } = await open(t, { perMinute: 2 });

  const statuses = [await get('/users/me'), await get('/users/me'), await get('/users/me')];
  clock.at += MINUTE + 1;

  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 200, 429],
  );
  assert.equal(statuses[2]?.headers.get('retry-after'), null);
  assert.deepEqual(
    [statuses[2]?.body.error, statuses[2]?.body.status],
    ['local_rate_limited', 429],
  );
  assert.equal((await get('/users/me')).status, 200);
});

test('chance hits everything but consent and tokens, and what was broken is whole afterwards', async (t) => {
  const { sim, token, get } = await open(t);
  sim.faults.random({ probability: 1 });

  const { refresh_token } = sim.credentials();
  assert.equal((await token({ grant_type: 'refresh_token', refresh_token })).status, 200);
  await get('/users/me').catch(() => null);
  assert.ok(sim.requests.at(-1)?.fault);
  sim.faults.stop();
  assert.equal((await get('/users/me')).status, 200);
});

test('an expired token can be had as a fault, in the words of Mercado Libre', async (t) => {
  const { sim, get } = await open(t);
  sim.faults.next({ kind: 'expired_token', match: /users/ });

  const { status, body } = await get('/users/me');

  assert.deepEqual([status, body.message], [401, 'invalid_token']);
  assert.equal((await get('/users/me')).status, 200);
});

// Replay

const REPLAYED = {
  'a.json':
    '{"id":9007199254740993,"status":"paid","order_items":[{"unit_price":440.0}],"total_amount":440.10,"seller":{"id":77},"shipping":{"id":55}}',
  'b.json':
    '{"_http":{"status":206,"headers":{"X-Content-Missing":"buyer"}},"body":{"id":"123","order_items":[],"shipping":{"id":56}}}',
  'c.json':
    '{"results":[{"id":9,"order_items":[],"date_last_updated":"2026-01-01T00:00:00Z"}],"paging":{"total":1}}',
  'd.json': '{"id":55,"status":"shipped","logistic":{"mode":"me2"}}',
  'e.json': '{"id":4,"orders":[{"id":9}],"shipment":{"id":55}}',
  'f.json':
    '[{"code":200,"body":{"id":"MLM1","title":"Uno","available_quantity":1.50}},{"code":404,"body":{"message":"no"}}]',
  'g.json': '{"inventory_id":"X1","available_quantity":2,"not_available_quantity":0}',
  'h.json': '{"ratio":1}',
  'i.json': 'not json',
};

test('a folder of documents is served by shape, with every digit as it was written', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'replay-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(REPLAYED)) await writeFile(join(folder, name), text);
  const { sim, user, get } = await open(t, { replay: folder });

  assert.deepEqual(sim.replayed, {
    orders: ['9007199254740993', '123', '9'],
    shipments: ['55'],
    packs: ['4'],
    items: ['MLM1'],
    inventories: ['X1'],
    ignored: ['h.json', 'i.json'],
  });
  assert.equal(user, 77);
  assert.equal((await get('/orders/9007199254740993')).text, REPLAYED['a.json']);
  const partial = await get('/orders/123');
  assert.deepEqual([partial.status, partial.headers.get('x-content-missing')], [206, 'buyer']);
  const page = await get(
    '/orders/search?seller=1&order.date_last_updated.from=2030-01-01T00:00:00Z',
  );
  assert.ok(page.text.includes('9007199254740993') && page.text.includes('"total_amount":440.10'));
  assert.equal(page.body.paging.total, 3);
  assert.equal(
    (await get('/orders/9007199254740993/shipments')).text,
    '[{"id":55,"type":"forward"}]',
  );
  assert.equal((await get('/orders/123/shipments')).status, 404);
  assert.equal((await get('/shipments/55')).body.status, 'shipped');
  assert.equal((await get('/packs/4')).body.shipment.id, 55);
  assert.ok((await get('/items?ids=MLM1,MLM2')).text.includes('"available_quantity":1.50'));
  assert.equal((await get('/inventories/X1/stock/fulfillment')).status, 200);
});
