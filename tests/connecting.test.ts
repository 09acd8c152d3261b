import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as soon } from 'node:timers/promises';
import { connect } from '../src/exchange/connect/connect.ts';
import { beginConsent } from '../src/exchange/connect/consent.ts';
import { disconnectAccount } from '../src/exchange/connect/disconnect.ts';
import type { ExchangeParts } from '../src/exchange/parts.ts';
import { runStream } from '../src/exchange/sync/run-stream.ts';
import { assertConnected } from '../src/exchange/sync/stream-stores.ts';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { applyNotification } from '../src/exchange/webhooks/apply-notification.ts';
import { renewBeforeExpiry } from '../src/exchange/wire/renew-early.ts';
import {
  connectionById,
  listConnections,
  loadStream,
  openCredentials,
  rememberAttempt,
  restartStreams,
  type SealedConnection,
  saveConnection,
  subscriptionSecretOf,
} from '../src/features/connections/index.ts';
import { LOCK_KINDS, type LockKind } from '../src/platform/db/lock-kinds.ts';
import { sql as RENEWALS } from '../src/platform/db/migrations/0018-renewals.ts';
import type { Failure } from '../src/platform/failure.ts';
import { isPublic, type Network, openNetwork } from '../src/platform/network.ts';
import { NetworkError } from '../src/platform/network-error.ts';
import { type SealBinding, SealError, unsealOrNull } from '../src/platform/seal.ts';
import {
  connectShop,
  launchCommand,
  runCommand,
  runCommandApart,
} from './reliability/support/commands.ts';
import { type Ending, lastFirst, NO_REDIS } from './reliability/support/processes.ts';
import { openShop, type Shop, WHOLE_FILE } from './spec/support/shop.ts';
import { openApp, type TestApp } from './support/app.ts';
import { turnedClock } from './support/clock.ts';
import {
  alertsOf,
  callsTo,
  connectAccount,
  connectionsOf,
  notify,
  openMarket,
  query,
  REDIRECT_URI,
  retryLater,
  type Seller,
  sell,
  syncNow,
  workOff,
} from './support/market.ts';
import { answerNames } from './support/names.ts';
import { freshDatabase, someoneWaits } from './support/server.ts';

// From the seller's browser, and from the operator's file, to an account that is connected, and
// stays so.

const clock = turnedClock();
const market = await openMarket(WHOLE_FILE, clock);
const instance = await openApp(WHOLE_FILE, { clock, env: market.env });
const { exchange } = instance.app;
const TOKEN = /POST \/oauth\/token/;

test('a seller who says yes is connected, and the orders come', async () => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const order = sell(seller);

  const page = await comeBack(await consent(shop, { as: seller }));
  await syncNow(instance, shop.organization.id);

  assert.deepEqual([page.status, page.type], [200, 'text/html; charset=utf-8']);
  assert.match(page.text, /<html lang="es-MX">[\s\S]*Cuenta conectada/);
  assert.match(page.text, new RegExp(`La cuenta ${seller.nickname} quedó conectada`));
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 1);
  assert.deepEqual(
    (await shop.orders()).map(({ id, account_id }) => [id, account_id]),
    [[order, String(seller.id)]],
  );
});

test('the page of consent is Mercado Libre’s own; it gets an exact redirect address, a fresh state and a challenge', async () => {
  const shop = await openShop(instance);
  const ownHosts = { ...exchange, baseUrls: {} };
  const begin = async () =>
    new URL(await beginConsent(ownHosts, shop.organization.id, 'mercado_libre'));

  const [first, second] = await Promise.all([begin(), begin()]);

  assert.equal(first.origin + first.pathname, 'https://auth.mercadolibre.com.mx/authorization');
  const { state, code_challenge, ...rest } = Object.fromEntries(first.searchParams);
  assert.deepEqual(rest, {
    response_type: 'code',
    client_id: market.application.clientId,
    redirect_uri: REDIRECT_URI,
    code_challenge_method: 'S256',
  });
  for (const secret of [state, code_challenge]) assert.match(secret ?? '', /^[\w-]{43}$/);
  assert.notEqual(second.searchParams.get('state'), state);
  assert.notEqual(second.searchParams.get('code_challenge'), code_challenge);
});

test('a redirect address that differs in one character is refused by Mercado Libre, before and after consent', async () => {
  const shop = await openShop(instance);
  const exact = market.application.redirectUri;
  try {
    market.application.redirectUri = `${exact}/`;
    const address = await beginConsent(exchange, shop.organization.id, 'mercado_libre');
    assert.equal((await fetch(address, { redirect: 'manual' })).status, 400);

    market.application.redirectUri = exact;
    const back = await consent(shop, { as: market.newSeller() });
    market.application.redirectUri = `${exact}/`;
    assert.equal((await comeBack(back)).status, 502);
  } finally {
    market.application.redirectUri = exact;
  }

  assert.deepEqual(await connectionsOf(instance, shop.organization.id), []);
});

/** What may be wrong with a return: the address that the browser then visits. */
const REFUSED: Record<string, (shop: Shop, back: URL) => Promise<URL> | URL> = {
  'a state that was never given': (_shop, back) => altered(back, { state: 'x'.repeat(43) }),
  'a state that lacks a character': (_shop, back) =>
    altered(back, { state: (back.searchParams.get('state') ?? '').slice(1) }),
  'a state that is empty': (_shop, back) => altered(back, { state: '' }),
  'no state': (_shop, back) => altered(back, { state: null }),
  'no code': (_shop, back) => altered(back, { code: null }),
  'a code that is empty': (_shop, back) => altered(back, { code: '' }),
  'a state given twice': (_shop, back) => {
    back.searchParams.append('state', back.searchParams.get('state') ?? '');
    return back;
  },
  'a state that is 15 minutes old': (_shop, back) => {
    clock.advance({ minutes: 15 });
    return back;
  },
  'a state of another marketplace': async (shop, back) => {
    const attempt = {
      state: 'of-shopify',
      marketplace: 'shopify',
      verifier: 'v',
      accountId: null,
      store: null,
      begunBy: null,
      expiresAt: clock.now().add({ minutes: 15 }),
    } as const;
    await instance.app.database
      .within(shop.organization.id)
      .write((scope) => rememberAttempt(scope, exchange.keyring, attempt));
    return altered(back, { state: attempt.state });
  },
};

for (const [what, spoil] of Object.entries(REFUSED)) {
  test(`a return with ${what} connects nothing, asks for no token and says so in Spanish`, async () => {
    const shop = await openShop(instance);
    const back = await consent(shop, { as: market.newSeller() });
    const asked = callsTo(market, TOKEN).length;

    const page = await comeBack(await spoil(shop, back));

    assert.equal(page.status, 400, page.text);
    assert.match(page.text, /No se conectó la cuenta/);
    assert.equal(callsTo(market, TOKEN).length, asked);
    assert.deepEqual(await connectionsOf(instance, shop.organization.id), []);
  });
}

test('a state that is a moment younger than 15 minutes is still good', async () => {
  const shop = await openShop(instance);
  const address = await beginConsent(exchange, shop.organization.id, 'mercado_libre');
  clock.advance({ minutes: 14, seconds: 59 });

  const page = await comeBack(await visit(address, { as: market.newSeller() }));

  assert.equal(page.status, 200, page.text);
});

for (const [what, answer] of [
  ['says no', 'refuse'],
  ['is an operator of the account, who may not say yes', 'operator'],
] as const) {
  test(`a seller who ${what} sees that nothing was connected, and that return is over`, async () => {
    const shop = await openShop(instance);
    const back = await consent(shop, { as: market.newSeller(), answer });
    const state = back.searchParams.get('state');

    const page = await comeBack(back);
    const again = await comeBack(altered(back, { error: null, code: 'TG-1', state }));

    assert.equal(page.status, 400);
    assert.match(page.text, /No se dio el permiso, así que no se conectó nada/);
    assert.deepEqual([again.status, callsTo(market, /code=TG-1/).length], [400, 0]);
    assert.match(again.text, /ya no es válido/);
    assert.deepEqual(await connectionsOf(instance, shop.organization.id), []);
  });
}

test('a return counts once, also when it is clicked twice at the same moment', async () => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const back = await consent(shop, { as: seller });
  const asked = callsTo(market, TOKEN).length;

  const pages = await Promise.all([comeBack(back), comeBack(back), comeBack(back)]);
  const later = await comeBack(back);

  assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 400, 400]);
  assert.equal(later.status, 400);
  assert.match(later.text, /Este intento de conexión ya no es válido/);
  assert.equal(callsTo(market, TOKEN).length, asked + 1);
  const connections = await connectionsOf(instance, shop.organization.id);
  assert.deepEqual(
    connections.map(({ account_id, state }) => [account_id, state]),
    [[String(seller.id), 'ok']],
  );
});

test('a code that was given to another browser is worth nothing: the verifier stays with its attempt', async () => {
  const [victim, thief] = await Promise.all([openShop(instance), openShop(instance)]);
  const stolen = await consent(victim, { as: market.newSeller() });
  const own = await consent(thief, { as: market.newSeller() });

  const page = await comeBack(altered(own, { code: stolen.searchParams.get('code') }));

  assert.equal(page.status, 502);
  assert.match(page.text, /Mercado Libre no aceptó/);
  for (const { organization } of [victim, thief])
    assert.deepEqual(await connectionsOf(instance, organization.id), []);
});

test('a return connects the organisation that set out, whatever others do meanwhile', async () => {
  const shops = [await openShop(instance), await openShop(instance)] as const;
  const sellers = [market.newSeller(), market.newSeller()] as const;
  const backs = await Promise.all(
    shops.map((shop, index) => consent(shop, { as: sellers[index] as Seller })),
  );

  await Promise.all(backs.toReversed().map((back) => comeBack(back)));

  for (const [index, { organization }] of shops.entries()) {
    const accounts = (await connectionsOf(instance, organization.id)).map(
      ({ account_id }) => account_id,
    );
    assert.deepEqual(accounts, [String(sellers[index]?.id)]);
  }
});

test('a marketplace that is away when the seller comes back: 502 in Spanish, nothing stored, and a new try works', async () => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  market.faults.next({ kind: 'server_error', match: /oauth\/token/, times: 3 });

  const page = await comeBack(await consent(shop, { as: seller }));
  const stored = await connectionsOf(instance, shop.organization.id);
  clock.advance({ minutes: 1 });
  const again = await comeBack(await consent(shop, { as: seller }));

  assert.equal(page.status, 502);
  assert.match(page.text, /Mercado Libre no responde por ahora/);
  assert.deepEqual(stored, []);
  assert.equal(again.status, 200);
});

test('the address of return answers GET alone, and only where there is a page of consent', async () => {
  const post = await fetch(`${instance.url}/connect/mercado_libre?state=x&code=y`, {
    method: 'POST',
  });
  const unknown = await comeBack(new URL('https://tianguis.example/connect/nobody?state=x&code=y'));

  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET']);
  assert.equal(unknown.status, 404);
});

const TYPED = { user_id: '1', access_token: 'APP_USR-1', refresh_token: 'TG-1' };

for (const [what, typed, field] of [
  ['nothing', {}, 'user_id'],
  ['no user_id', { ...TYPED, user_id: undefined }, 'user_id'],
  ['a user_id that is no number', { ...TYPED, user_id: 'TIENDA' }, 'user_id'],
  ['no access_token', { ...TYPED, access_token: undefined }, 'access_token'],
  ['an empty access_token', { ...TYPED, access_token: '' }, 'access_token'],
  ['a refresh_token that is no text', { ...TYPED, refresh_token: 1 }, 'refresh_token'],
  ['an unknown field', { ...TYPED, refreshtoken: 'TG-1' }, 'refreshtoken'],
  ['a list', [TYPED], 'credentials'],
  ['a text', 'APP_USR-1', 'credentials'],
  ['null', null, 'credentials'],
] as const) {
  test(`typed credentials with ${what} are refused, naming ${field}, before any call`, async () => {
    const shop = await openShop(instance);
    const asked = market.requests.length;

    await assert.rejects(
      connectAccount(instance, shop.organization.id, typed),
      (error: Failure) => {
        assert.deepEqual([error.code, error.param], ['invalid_request', field]);
        assert.match(
          error.message,
          new RegExp(`credenciales de Mercado Libre .*revisa.* ${field}`),
        );
        return true;
      },
    );
    assert.equal(market.requests.length, asked);
    assert.deepEqual(await keptOf(shop), { connections: 0, schedules: 0 });
  });
}

test('typed credentials that the marketplace refuses: upstream_error in Spanish, and nothing is stored', async () => {
  const shop = await openShop(instance);
  const { user_id } = market.credentials(market.newSeller().id);

  await assert.rejects(
    connectAccount(instance, shop.organization.id, { user_id, access_token: 'APP_USR-dead' }),
    {
      code: 'upstream_error',
      message: 'Mercado Libre no aceptó las credenciales. Revísalas o genera unas nuevas.',
      details: { source: 'mercado_libre' },
    },
  );
  assert.deepEqual(await keptOf(shop), { connections: 0, schedules: 0 });
});

test('typed credentials of one account that say that they are another’s are refused, naming user_id', async () => {
  const shop = await openShop(instance);
  const [mine, other] = [market.newSeller(), market.newSeller()];
  const credentials = { ...market.credentials(mine.id), user_id: other.id };

  await assert.rejects(connectAccount(instance, shop.organization.id, credentials), {
    code: 'invalid_request',
    param: 'user_id',
  });
  assert.deepEqual(await keptOf(shop), { connections: 0, schedules: 0 });
});

test('an access token that is over but can be renewed connects, and the new pair is what is kept', async () => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const order = sell(seller);
  const old = market.credentials(seller.id);
  market.expireTokens(seller.id);

  await connectAccount(instance, shop.organization.id, old);
  await syncNow(instance, shop.organization.id);

  assert.deepEqual(await shop.ids(), [order]);
  await assert.rejects(connectAccount(instance, shop.organization.id, old), {
    code: 'upstream_error',
  });
});

test('a renewed pair survives a proof that fails after it: the same file connects later', async () => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const credentials = market.credentials(seller.id);
  market.expireTokens(seller.id);
  const renewals = callsTo(market, TOKEN).length;
  const typed = {
    organizationId: organization.id,
    service: 'mercado_libre',
    credentials,
    baseUrl: null,
  } as const;

  await assert.rejects(connect(cutAfterRenewal(), typed), {
    code: 'upstream_error',
  });
  clock.advance({ minutes: 1 });
  const connected = await connectAccount(instance, organization.id, credentials);

  assert.equal(callsTo(market, TOKEN).length, renewals + 1);
  const [connection] = await connectionsOf(instance, organization.id);
  assert.deepEqual([connection?.id, connection?.state], [connected, 'ok']);
  const kept = (await credentialsOf({ ...instance, organization }, organization.id)).access_token;
  const me = await fetch(`${market.url}/users/me`, {
    headers: { authorization: `Bearer ${kept}` },
  });
  assert.equal(me.status, 200, 'what is stored is what works');
  const left = 'select verifier from connect_attempts where organization_id = $1';
  assert.deepEqual(await query(instance, left, [organization.id]), []);
});

test('with an account goes what was renewed and never connected, and an attempt at the consent page goes on', async () => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const connected = await connectAccount(instance, organization.id, market.credentials(seller.id));
  const credentials = market.credentials(seller.id);
  market.expireTokens(seller.id);
  const service = 'mercado_libre';
  const typed = { organizationId: organization.id, service, credentials, baseUrl: null } as const;
  await assert.rejects(connect(cutAfterRenewal(), typed), { code: 'upstream_error' });
  clock.advance({ minutes: 1 });
  const back = await consent(shop, { as: market.newSeller() });
  const kept = () =>
    query(instance, 'select verifier from connect_attempts where organization_id = $1', [
      organization.id,
    ]);
  const before = await kept();

  await disconnectAccount(exchange, organization.id, connected);

  assert.deepEqual([before.length, (await kept()).length], [2, 1]);
  assert.equal((await comeBack(back)).status, 200);
});

/** The line is cut as soon as a token was renewed. */
function cutAfterRenewal(): ExchangeParts {
  const renewals = callsTo(market, TOKEN).length;
  const { network } = exchange;
  const send: typeof network.send = async (outgoing, reach) => {
    if (callsTo(market, TOKEN).length > renewals)
      throw new NetworkError('broken', 'the line was cut');
    return network.send(outgoing, reach);
  };
  return { ...exchange, network: { ...network, send } };
}

test('the same account connected again, in whichever way, keeps its id, its orders and how far it was read', async () => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  sell(seller);
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  await syncNow(instance, organization.id);
  const before = await shop.orders();
  const readTo = () =>
    query(instance, 'select watermark, items from streams where connection_id = $1', [id]);
  const progress = await readTo();
  market.revoke(seller.id);
  await syncNow(instance, organization.id);
  await retryLater(instance, organization.id, id);
  assert.deepEqual(await connectionsOf(instance, organization.id), [
    { id, account_id: String(seller.id), state: 'reauth_required', bare: false },
  ]);

  const page = await comeBack(await consent(shop, { as: seller }));

  assert.equal(page.status, 200);
  assert.deepEqual(await connectionsOf(instance, organization.id), [
    { id, account_id: String(seller.id), state: 'ok', bare: false },
  ]);
  assert.deepEqual(await shop.orders(), before);
  assert.deepEqual(await readTo(), progress);
  const [stream] = await syncNow(instance, organization.id);
  assert.deepEqual([stream?.error, stream?.changed], [undefined, 0]);
  assert.deepEqual(await alertsOf(instance, organization.id), []);
});

test('two accounts of one marketplace in one organisation are kept apart, and count as one marketplace', async () => {
  const shop = await openShop(instance);
  const sellers = [market.newSeller(), market.newSeller()];
  const sold = new Map(sellers.map((seller) => [String(seller.id), [sell(seller), sell(seller)]]));
  for (const { id } of sellers)
    await connectAccount(instance, shop.organization.id, market.credentials(id));

  await syncNow(instance, shop.organization.id);

  const all = await shop.orders();
  assert.equal(all.length, 4);
  for (const [account, orders] of sold) {
    const own = await shop.ids({ account_id: account });
    assert.deepEqual(own.toSorted(), orders.toSorted());
    assert.deepEqual(all.filter(({ account_id }) => account_id === account).length, 2);
  }
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 1);
});

test('one account connected by two organisations: each has its own copy, and what one does is not the other’s', async () => {
  const [one, other] = [await openShop(instance), await openShop(instance)];
  const seller = market.newSeller();
  const order = sell(seller);
  const ids = [];
  for (const { organization } of [one, other])
    ids.push(await connectAccount(instance, organization.id, market.credentials(seller.id)));
  await syncNow(instance, one.organization.id);
  assert.deepEqual([await one.ids(), await other.ids()], [[order], []]);
  await syncNow(instance, other.organization.id);

  await leave(one, ids[0] as string);
  clock.advance({ hours: 3 });
  seller.world.ship(order);
  for (const { organization } of [one, other]) await syncNow(instance, organization.id);

  assert.notEqual(ids[0], ids[1]);
  const statusOf = async (shop: Shop) => (await shop.get(`/v1/orders/${order}`)).body.data.status;
  assert.deepEqual([await statusOf(one), await statusOf(other)], ['paid', 'shipped']);
});

test('a disconnected account: its credentials are gone, its orders stay, no call is made, and it may be connected again', {
  tags: ['slow'],
}, async () => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const order = sell(seller);
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  await syncNow(instance, organization.id);

  await leave(shop, id);
  const asked = callsTo(market, new RegExp(`${seller.id}`)).length;
  await syncNow(instance, organization.id);
  await workOff(instance);

  assert.deepEqual(await connectionsOf(instance, organization.id), [
    { id, account_id: String(seller.id), state: 'disconnected', bare: true },
  ]);
  assert.equal(callsTo(market, new RegExp(`${seller.id}`)).length, asked);
  assert.deepEqual(await shop.ids(), [order]);
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 0);
  assert.equal(await connectAccount(instance, organization.id, market.credentials(seller.id)), id);
  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 1);
});

test('an account that is disconnected in the middle of a walk stays disconnected, without an alarm', async (t) => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  sell(seller);
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, /orders\/search/);

  const walk = syncOrganization(parts, {
    organizationId: organization.id,
    service: null,
    stream: 'orders',
  });
  await reached;
  await leave(shop, id);
  release();
  await walk;

  await assertLeft(shop, seller);
  assert.deepEqual(await shop.ids(), [], 'nothing more is stored of who left');
});

test('a person who disconnects an account waits for what is being stored of it', async () => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  const within = exchange.database.within(organization.id);
  const connection = (await within.read((scope) => connectionById(scope, id))) as SealedConnection;
  const reported: string[] = [];

  let leaving: Promise<unknown> | undefined;
  await within.write(async (scope) => {
    await assertConnected(scope, [connection]);
    leaving = leave(shop, id).then(() => reported.push('left'));
    await someoneWaits(exchange.database);
    reported.push('stored');
  });
  await leaving;

  assert.deepEqual(reported, ['stored', 'left']);
});

test('data fetched for a webhook of an account disconnected meanwhile is not stored', async (t) => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const order = sell(seller);
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, new RegExp(`orders/${order}$`));

  const taken = applyNotification(parts, {
    organizationId: organization.id,
    connectionId: id,
    hint: { stream: 'orders', id: order },
  });
  await reached;
  await leave(shop, id);
  release();

  assert.equal((await taken).changed, 0);
  await assertLeft(shop, seller);
  assert.deepEqual(await shop.ids(), []);
});

for (const [what, stream, url, fault] of [
  ['its credentials are gone', 'orders', /orders\/search/, 'expired_token'],
  ['nothing of the stock can be read', 'inventory', /items\/search/, 'garbage'],
] as const)
  test(`a walk of an account that left meanwhile, which then finds that ${what}, raises no alert`, async (t) => {
    const shop = await openShop(instance);
    const { organization } = shop;
    const seller = market.newSeller();
    const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
    const { parts, reached, release } = heldAt(t, url);
    market.faults.next({ kind: fault, match: url, times: 4 });

    const walk = syncOrganization(parts, {
      organizationId: organization.id,
      service: null,
      stream,
    });
    await reached;
    await leave(shop, id);
    release();
    const [report] = await walk;
    market.faults.stop();

    assert.notEqual(report?.error, undefined);
    await assertLeft(shop, seller);
  });

test('a walk whose lock is lost stores nothing more: by then another one may be under way', async (t) => {
  const shop = await openShop(instance);
  const { organization } = shop;
  const seller = market.newSeller();
  const order = sell(seller);
  await connectAccount(instance, organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, /orders\/search/);

  const walk = syncOrganization(parts, {
    organizationId: organization.id,
    service: null,
    stream: 'orders',
  });
  await reached;
  await cutLocks(instance, 'stream');
  release();
  const [stopped] = await walk;

  assert.match(stopped?.error ?? '', /^Tuvimos una interrupción de nuestro lado/);
  assert.deepEqual(await shop.ids(), []);
  await syncNow(instance, organization.id);
  assert.deepEqual(await shop.ids(), [order]);
});

test('a sync run whose lock is lost is left to the process that has it now: nothing is wrong with the account', async (t) => {
  const { organization } = await openShop(instance);
  const seller = market.newSeller();
  sell(seller);
  await connectAccount(instance, organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, /orders\/search/);
  const within = instance.app.database.within(organization.id);
  const [listed] = await within.read(listConnections);
  const connection = await within.read((scope) => connectionById(scope, listed?.id ?? ''));
  assert.ok(connection);

  const run = runStream(parts, connection, 'orders', { reconcile: false, ifRunning: 'leave' });
  await reached;
  await cutLocks(instance, 'stream');
  release();

  assert.equal(await run, null);
  const [after] = await within.read(listConnections);
  assert.equal(after?.state, 'ok');
});

test('a sync run that ends after its account’s streams were begun anew leaves all of them to read', async (t) => {
  const { organization } = await openShop(instance);
  const seller = market.newSeller();
  sell(seller);
  const id = await connectAccount(instance, organization.id, market.credentials(seller.id));
  await syncNow(instance, organization.id);
  const within = instance.app.database.within(organization.id);
  const connection = (await within.read((scope) => connectionById(scope, id))) as SealedConnection;
  const options = { reconcile: false, ifRunning: 'leave' } as const;
  const progress = () => within.read((scope) => loadStream(scope, id, 'orders'));
  const { parts, reached, release } = heldAt(t, /orders\/search/);

  const run = runStream(parts, connection, 'orders', options);
  await reached;
  await within.write((scope) => restartStreams(scope, id));
  release();
  const report = await run;
  const restarted = await progress();
  await runStream(exchange, connection, 'orders', options);

  const [{ state, last_error: reason } = {}] = await query(
    instance,
    `select c.state, s.last_error from connections c join streams s on s.connection_id = c.id
      where c.id = $1 and s.stream = 'orders'`,
    [id],
  );
  assert.deepEqual(restarted, { watermark: null, isFirstImport: true, run: null });
  assert.deepEqual([report?.isCut, report?.isOver], [true, false]);
  assert.deepEqual([state, reason], ['ok', null]);
  assert.notEqual((await progress()).watermark, null);
});

test('an account that is connected twice at the same moment is one connection that works', async (t) => {
  const own = await openOwnInstance(t);
  const { id: organizationId } = own.organization;
  const seller = market.newSeller();
  const order = sell(seller);
  const { database, exchange: parts } = own.app;
  const both = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const locking = database.write(async (handle) => {
    await handle.sql('lock table connections in share mode', []);
    isLocked.resolve();
    await both.promise;
  });
  await isLocked.promise;

  const connecting = Array.from({ length: 2 }, () =>
    connectAccount(own, organizationId, market.credentials(seller.id)),
  );
  await someoneWaits(database, 2);
  both.resolve();
  await locking;
  const [id, sameId] = await Promise.all(connecting);

  assert.equal(id, sameId);
  const connections = await connectionsOf(own, organizationId);
  assert.deepEqual(
    connections.map((row) => [row.id, row.state]),
    [[id, 'ok']],
  );
  const stored = await database
    .within(organizationId)
    .read((scope) => connectionById(scope, id ?? ''));
  assert.ok(stored && subscriptionSecretOf(parts.keyring, stored));
  const planned = await query(own, 'select subject from schedules where organization_id = $1', [
    organizationId,
  ]);
  assert.deepEqual(
    new Set(planned.map(({ subject }) => String(subject).split(':')[0])),
    new Set([id]),
  );
  await syncNow(own, organizationId);
  assert.deepEqual(
    (await own.api('/v1/orders')).body.data.map((row: { id: string }) => row.id),
    [order],
  );
});

test('connecting an account again replaces a secret for webhooks that does not open', async (t) => {
  const own = await openOwnInstance(t);
  const { id: organizationId } = own.organization;
  const { database, exchange: parts } = own.app;
  const seller = market.newSeller();
  const id = await connectAccount(own, organizationId, market.credentials(seller.id));
  const secretNow = async () => {
    const stored = await database.within(organizationId).read((scope) => connectionById(scope, id));
    return stored && subscriptionSecretOf(parts.keyring, stored);
  };
  const first = await secretNow();
  await connectAccount(own, organizationId, market.credentials(seller.id));
  assert.equal(await secretNow(), first, 'one that opens stays: subscriptions there know it');

  await query(own, 'update connections set push_secret = credentials where id = $1', [id]);
  await assert.rejects(secretNow, SealError);
  await connectAccount(own, organizationId, market.credentials(seller.id));

  assert.ok(await secretNow());
});

test('an update of the schema removes schedules of connections that never were, and no others', async (t) => {
  const own = await openOwnInstance(t);
  const { id: organizationId } = own.organization;
  const seller = market.newSeller();
  await connectAccount(own, organizationId, market.credentials(seller.id));
  const all = 'select task, subject from schedules order by task, subject';
  const planned = await query(own, all);
  const never = crypto.randomUUID();
  for (const [task, subject] of [
    ['sync', `${never}:orders`],
    ['sweep', `${never}:orders`],
    ['subscribe', never],
  ])
    await query(own, 'insert into schedules values ($1, $2, $3, 300, now())', [
      organizationId,
      task,
      subject,
    ]);

  await query(own, 'alter table connections drop column renewing_since');
  await query(own, RENEWALS);

  assert.deepEqual(await query(own, all), planned);
});

test('an account that is disconnected in the middle of a renewal stays disconnected and bare', async (t) => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const id = await connectAccount(instance, shop.organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, /oauth\/token/);

  const renewal = renewBeforeExpiry(parts, shop.organization.id, id);
  await reached;
  await leave(shop, id);
  release();
  await renewal;

  await assertLeft(shop, seller);
});

test('an account that is connected anew in the middle of a renewal keeps the new credentials', async (t) => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const id = await connectAccount(instance, shop.organization.id, market.credentials(seller.id));
  const { parts, reached, release } = heldAt(t, /oauth\/token/);

  const renewal = renewBeforeExpiry(parts, shop.organization.id, id);
  await reached;
  assert.equal((await comeBack(await consent(shop, { as: seller }))).status, 200);
  const [renewed] = await boxesOf(shop);
  release();
  await renewal;

  assert.deepEqual(await boxesOf(shop), [renewed]);
  assert.deepEqual(await alertsOf(instance, shop.organization.id), []);
});

test('nothing of a secret can be read in the database, in whatever coding', {
  tags: ['slow'],
}, async (t) => {
  const own = await openOwnInstance(t);
  const { id } = own.organization;
  const seller = market.newSeller();
  const typed = market.credentials(seller.id);
  await connectShop(lastFirst(t), own.env, id, { ...market, credentials: () => typed });
  await renewBeforeExpiry(own.app.exchange, id, (await connectionsOf(own, id))[0]?.id as string);
  const renewed = await credentialsOf(own, id);
  const begun = new URL(await beginConsent(own.app.exchange, id, 'mercado_libre'));

  const dump = await dumpOf(own);

  const state = begun.searchParams.get('state') as string;
  for (const secret of [
    ...Object.values(typed).slice(1),
    ...Object.values(renewed).slice(1),
    state,
  ] as string[])
    for (const coded of codingsOf(secret))
      assert.equal(dump.includes(coded), false, `${secret} as ${coded}`);
  assert.ok(
    dump.includes(String(seller.id)) && dump.includes('connect-now'),
    'the dump has everything',
  );
});

for (const [what, box] of [
  ['another account of the organisation', 'select credentials from connections where id = $2'],
  ['another organisation', 'select credentials from connections where id = $3'],
  ['another field', 'select push_secret from connections where id = $1'],
  [
    'the same place, one letter changed',
    "select overlay(credentials placing 'AAAA' from 60) from connections where id = $1",
  ],
] as const) {
  test(`credentials sealed for ${what} do not open: no call is made with them, and an alert is raised`, async () => {
    const [shop, stranger] = [await openShop(instance), await openShop(instance)];
    const { organization } = shop;
    const sellers = [market.newSeller(), market.newSeller(), market.newSeller()] as const;
    const ids: string[] = [];
    for (const [index, { id }] of sellers.entries()) {
      const owner = index < 2 ? organization.id : stranger.organization.id;
      ids.push(await connectAccount(instance, owner, market.credentials(id)));
    }
    const [{ credentials: former } = {}] = await query(
      instance,
      'select credentials from connections where id = $1',
      [ids[0]],
    );
    const asked = market.requests.length;
    const put = `update connections set credentials = (${box}) where id = $1 returning $2::uuid, $3::uuid`;
    await query(instance, put, ids);

    const streams = await syncNow(instance, organization.id);

    assert.deepEqual(streams.map(({ error }) => error).toSorted(), [
      'No pudimos abrir el acceso guardado a tu cuenta de Mercado Libre. Ya lo estamos revisando.',
      undefined,
    ]);
    const calls = market.requests
      .slice(asked)
      .filter(({ path }) => !path.includes(`seller=${sellers[1].id}`));
    assert.deepEqual(calls, [], 'only the other account was asked about');
    const connections = await connectionsOf(instance, organization.id);
    assert.equal(connections.find(({ id }) => id === ids[0])?.state, 'error');
    assert.deepEqual(
      (await alertsOf(instance, organization.id)).map(({ subject }) => subject),
      [ids[0]],
    );

    await query(instance, 'update connections set credentials = $2 where id = $1', [
      ids[0],
      former,
    ]);
    await syncNow(instance, organization.id);
    assert.deepEqual(
      await alertsOf(instance, organization.id),
      [],
      'it passes when the right box is back',
    );
  });
}

test('a verifier that was put at another attempt does not open: that return is over', async () => {
  const [shop, other] = [await openShop(instance), await openShop(instance)];
  const back = await consent(shop, { as: market.newSeller() });
  await beginConsent(exchange, other.organization.id, 'mercado_libre');
  await query(
    instance,
    `update connect_attempts set verifier = (select verifier from connect_attempts where organization_id = $2)
      where organization_id = $1`,
    [shop.organization.id, other.organization.id],
  );

  const page = await comeBack(back);

  assert.equal(page.status, 400);
  assert.deepEqual(await connectionsOf(instance, shop.organization.id), []);
});

test('rotate-secrets seals everything again while the instance serves, and after it the former key opens nothing', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const [former, current] = [
    randomBytes(32).toString('base64'),
    randomBytes(32).toString('base64'),
  ];
  const before = await openOwnInstance(end, { MASTER_KEY: former });
  const { id: organizationId } = before.organization;
  const seller = market.newSeller();
  const id = await connectAccount(before, organizationId, market.credentials(seller.id));
  await fillWithConnections(before, 250);
  const back = await visit(
    await beginConsent(before.app.exchange, organizationId, 'mercado_libre'),
    {
      as: seller,
    },
  );
  await before.app.close();

  const keys = { MASTER_KEY: current, MASTER_KEY_PREVIOUS: former };
  const during = await openOwnInstance(end, { ...before.env, ...keys });
  const rotation = runCommandApart<Record<string, number>>(end, { ...before.env, ...keys }, [
    'rotate-secrets',
  ]);
  let served = 0;
  for (let isOver = false; !isOver; served++) {
    await renewBeforeExpiry(during.app.exchange, organizationId, id);
    assert.equal((await syncNow(during, organizationId))[0]?.error, undefined);
    isOver = await Promise.race([rotation.then(() => true), soon(5, false)]);
  }
  const { resealed = 0, ...others } = await rotation;
  await during.app.close();

  assert.ok(
    resealed >= 500 && served > 1,
    `${resealed} sealed again, served ${served} times meanwhile`,
  );
  assert.deepEqual(others, {});
  const after = await openOwnInstance(end, { ...before.env, MASTER_KEY: current });
  assert.deepEqual(await openedBy(after, former), { opened: 0, shut: 503 });
  assert.deepEqual(await openedBy(after, current), { opened: 503, shut: 0 });
  assert.equal(
    (await comeBack(back, after)).status,
    200,
    'who was at the page of consent comes back as if nothing',
  );
  assert.equal((await syncNow(after, organizationId))[0]?.error, undefined);
  assert.deepEqual(await runCommand({ ...before.env, ...keys }, ['rotate-secrets']), {
    resealed: 0,
  });
});

test('rotate-secrets goes on past a box that neither key opens, and says that there is one', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const [former, current] = [
    randomBytes(32).toString('base64'),
    randomBytes(32).toString('base64'),
  ];
  const own = await openOwnInstance(end, { MASTER_KEY: former });
  await fillWithConnections(own, 3);
  await query(own, "update connections set credentials = 'AXRvcm4=' where account_id = '1'");

  const command = launchCommand(
    end,
    { ...own.env, MASTER_KEY: current, MASTER_KEY_PREVIOUS: former },
    ['rotate-secrets'],
  );

  assert.equal(await command.ended, 1);
  assert.deepEqual(JSON.parse(command.lines.join('')), { resealed: 5, unopened: 1 });
});

test('a token is renewed when four fifths of its life are over, also by an instance that was started anew', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  let own = await openOwnInstance(end);
  const { organization } = own;
  const seller = market.newSeller();
  await comeBack(await consent({ organization }, { as: seller }, own), own);
  const begun = { renewals: callsTo(market, TOKEN).length, refusals: refusals() };
  const renewals = async () => {
    await workOff(own);
    return callsTo(market, TOKEN).length - begun.renewals;
  };

  // A life of 6 h.
  clock.advance({ hours: 4, minutes: 47, seconds: 59 });
  assert.equal(await renewals(), 0);
  clock.advance({ seconds: 1 });
  assert.equal(await renewals(), 1);

  await own.app.close();
  own = await openOwnInstance(end, own.env);
  clock.advance({ hours: 4, minutes: 47, seconds: 59 });
  assert.equal(await renewals(), 1);
  clock.advance({ seconds: 1 });
  assert.equal(await renewals(), 2);
  assert.equal(refusals(), begun.refusals, 'no call met a dead token');
});

test('two instances on one database that find a token dead renew it once, and both go on with the new one', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const first = await openOwnInstance(end, { REDIS_URL: NO_REDIS });
  const second = await openOwnInstance(end, first.env);
  const { id } = first.organization;
  const seller = market.newSeller();
  const orders = Array.from({ length: 8 }, () => sell(seller));
  await connectAccount(first, id, market.credentials(seller.id));
  market.expireTokens(seller.id);
  const renewals = callsTo(market, TOKEN).length;

  const answers = await Promise.all(
    orders.map((order, index) =>
      notify([first, second][index % 2] as TestApp, seller, `/orders/${order}`),
    ),
  );
  await workOff(first);

  assert.deepEqual(new Set(answers), new Set([200]));
  assert.equal(callsTo(market, TOKEN).length, renewals + 1);
  const { body } = await first.api('/v1/orders');
  assert.deepEqual(
    body.data.map((order: { id: string }) => order.id).toSorted(),
    orders.toSorted(),
  );
});

test('a renewal that overtakes another one, whose lock was lost before its pair was stored, asks no seller to connect again', {
  tags: ['slow'],
}, async (t) => {
  const end = lastFirst(t);
  const first = await openOwnInstance(end, { REDIS_URL: NO_REDIS });
  const second = await openOwnInstance(end, first.env);
  const { id: organizationId } = first.organization;
  const seller = market.newSeller();
  const id = await connectAccount(first, organizationId, market.credentials(seller.id));
  const former = await credentialsOf(first, organizationId);
  const { parts, reached, release } = heldAfter(t, first, /oauth\/token/);

  const renewal = renewBeforeExpiry(parts, organizationId, id);
  await reached;
  await cutLocks(first, 'renewal');
  // Its token has been used by now.
  await assert.rejects(renewBeforeExpiry(second.app.exchange, organizationId, id), {
    kind: 'paced',
  });
  const [between] = await connectionsOf(first, organizationId);
  release();
  await renewal;

  assert.equal(between?.state, 'ok');
  assert.deepEqual(await alertsOf(first, organizationId), []);
  assert.notDeepEqual(await credentialsOf(first, organizationId), former);
  const renewals = callsTo(market, TOKEN).length;
  await renewBeforeExpiry(second.app.exchange, organizationId, id);
  assert.equal(
    callsTo(market, TOKEN).length,
    renewals + 1,
    'what was stored is good for the next renewal',
  );
});

test('a renewal that was cut off for good is reported after three minutes', async (t) => {
  const own = await openOwnInstance(t);
  const { id: organizationId } = own.organization;
  const seller = market.newSeller();
  const id = await connectAccount(own, organizationId, market.credentials(seller.id));
  const { parts, reached } = heldAfter(t, own, /oauth\/token/);
  renewBeforeExpiry(parts, organizationId, id).catch(() => {});
  await reached;
  await cutLocks(own, 'renewal');
  const again = () => renewBeforeExpiry(own.app.exchange, organizationId, id);

  await assert.rejects(again(), { kind: 'paced' });
  clock.advance({ minutes: 2, seconds: 59 });
  await assert.rejects(again(), { kind: 'paced' });
  clock.advance({ seconds: 1 });
  await again();
  await retryLater(own, organizationId, id);

  const [connection] = await connectionsOf(own, organizationId);
  assert.equal(connection?.state, 'reauth_required');
});

test('a refusal of a renewal whose lock was lost is no verdict: another process may have renewed', async (t) => {
  const own = await openOwnInstance(t);
  const { id: organizationId } = own.organization;
  const seller = market.newSeller();
  const id = await connectAccount(own, organizationId, market.credentials(seller.id));
  market.revoke(seller.id);
  const { parts, reached, release } = heldAfter(t, own, /oauth\/token/);

  const renewal = renewBeforeExpiry(parts, organizationId, id);
  const refused = assert.rejects(renewal, { code: 'service_unavailable' });
  await reached;
  await cutLocks(own, 'renewal');
  release();
  await refused;
  const stateNow = async () => (await connectionsOf(own, organizationId))[0]?.state;
  assert.equal(await stateNow(), 'delayed', 'no alert is raised');

  await renewBeforeExpiry(own.app.exchange, organizationId, id);
  await retryLater(own, organizationId, id);
  assert.equal(await stateNow(), 'reauth_required');
});

test('a renewed token is not used before it is stored', async (t) => {
  const own = await openOwnInstance(t);
  const { id } = own.organization;
  const seller = market.newSeller();
  await connectAccount(own, id, market.credentials(seller.id));
  await refuseToStore(own, 1_000);
  market.expireTokens(seller.id);
  const asked = market.requests.length;

  const [stream] = await syncNow(own, id);

  assert.match(stream?.error ?? '', /^Tuvimos un problema de nuestro lado/);
  const since = market.requests
    .slice(asked)
    .map(({ path, status }) => [path.replace(/\?.*/, ''), status]);
  assert.deepEqual(since, [
    ['/orders/search', 401],
    ['/oauth/token', 200],
  ]);
});

test('a renewed token outlives a database that cannot store it for a moment', async (t) => {
  const own = await openOwnInstance(t);
  const { id } = own.organization;
  const seller = market.newSeller();
  await connectAccount(own, id, market.credentials(seller.id));
  await refuseToStore(own, 3);
  market.expireTokens(seller.id);
  const renewals = callsTo(market, TOKEN).length;

  const [stream] = await syncNow(own, id);

  assert.equal(stream?.error, undefined);
  assert.equal(callsTo(market, TOKEN).length, renewals + 1);
  const kept = (await credentialsOf(own, id)).access_token;
  const me = await fetch(`${market.url}/users/me`, {
    headers: { authorization: `Bearer ${kept}` },
  });
  assert.equal(me.status, 200, 'what is stored is what works');
});

test('what is renewed while an account is being connected outlives a database that is away for a moment, too', async (t) => {
  const own = await openOwnInstance(t);
  const seller = market.newSeller();
  const credentials = market.credentials(seller.id);
  await refuseToStore(own, 3, 'insert on connect_attempts');
  market.expireTokens(seller.id);
  const renewals = callsTo(market, TOKEN).length;

  await connectAccount(own, own.organization.id, credentials);

  assert.equal(callsTo(market, TOKEN).length, renewals + 1);
  const kept = (await credentialsOf(own, own.organization.id)).access_token;
  const me = await fetch(`${market.url}/users/me`, {
    headers: { authorization: `Bearer ${kept}` },
  });
  assert.equal(me.status, 200, 'what is stored is what works');
});

test('a refresh token that is dead: the seller is asked to connect again, once, and no other call is made', {
  tags: ['slow'],
}, async (t) => {
  const own = await openOwnInstance(t);
  const { organization } = own;
  const seller = market.newSeller();
  const order = sell(seller);
  await comeBack(await consent({ organization }, { as: seller }, own), own);
  await workOff(own);
  market.revoke(seller.id);

  clock.advance({ hours: 4, minutes: 48 });
  await workOff(own);
  assert.deepEqual(await alertsOf(own, organization.id), [], 'one refusal raises no alert');
  clock.advance({ minutes: 5 });
  await workOff(own);
  const asked = market.requests.length;
  clock.advance({ minutes: 50 });
  await workOff(own);
  assert.equal(await notify(own, seller, `/orders/${order}`), 200);
  await workOff(own);

  assert.equal(market.requests.length, asked, 'no call is made in vain');
  const [connection] = await connectionsOf(own, organization.id);
  assert.equal(connection?.state, 'reauth_required');
  assert.deepEqual(await alertsOf(own, organization.id), [
    {
      kind: 'connection',
      subject: connection?.id,
      message:
        'El acceso a tu cuenta de Mercado Libre venció o fue retirado. Reconéctala para seguir; no se pierde nada.',
    },
  ]);
  assert.equal(
    (await own.api('/v1/orders')).body.data[0].id,
    order,
    'what was read is still served',
  );

  seller.world.ship(order);
  await comeBack(await consent({ organization }, { as: seller }, own), own);
  await workOff(own);
  assert.deepEqual(await alertsOf(own, organization.id), []);
  assert.equal((await own.api(`/v1/orders/${order}`)).body.data.status, 'shipped');
});

test('a renewal that meets a marketplace that is away asks no seller to connect again', async () => {
  const shop = await openShop(instance);
  const seller = market.newSeller();
  const id = await connectAccount(instance, shop.organization.id, market.credentials(seller.id));
  market.faults.next({ kind: 'server_error', match: /oauth\/token/, times: 3 });

  await assert.rejects(renewBeforeExpiry(exchange, shop.organization.id, id), {
    kind: 'unreachable',
  });
  const state = async () => (await connectionsOf(instance, shop.organization.id))[0]?.state;
  assert.equal(await state(), 'delayed');
  assert.deepEqual(await alertsOf(instance, shop.organization.id), []);

  market.faults.stop();
  clock.advance({ minutes: 10 });
  await renewBeforeExpiry(exchange, shop.organization.id, id);
  assert.equal(await state(), 'ok');
});

const INWARD = [
  ...[
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.8', '192.0.2.1'],
  ...[
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.88.99.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...[
    '[::1]',
    '[::]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[100::1]',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:a00:1]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...['[2002:7f00:1::]', '[2002:a00:1::1]', '[64:ff9b::7f00:1]', '[64:ff9b:1::a00:1]', '[2001::1]'],
  ...['[2001:db8::1]', '[2001:2::1]', '[2001:10::1]', '[3fff::1]', '[5f00::1]', '[4000::1]'],
  ...[
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
    '127.0.0.1.',
    '0',
  ],
  ...[
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    'tienda.example:x@127.0.0.1',
    'tienda.example@[::1]',
  ],
];
const OUTWARD = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2001:4860:4860::8888',
];

test('an address that a customer typed is never inward, however it is written', async (t) => {
  const network = openNetwork();
  t.after(network.close);
  const sockets = watchSockets(t);

  for (const host of INWARD)
    await assert.rejects(
      send(network, `https://${host}/wp-json`),
      { kind: 'refused_address' },
      host,
    );
  for (const url of [
    'http://8.8.8.8/',
    'https://8.8.8.8:8080/',
    'https://8.8.8.8:22/',
    'ftp://8.8.8.8/',
  ])
    await assert.rejects(send(network, url), { kind: 'refused_address' }, url);

  assert.deepEqual(sockets, [], 'no connection was opened');
  for (const address of OUTWARD) assert.equal(isPublic(address), true, address);
});

test('a name that a customer typed is judged by every address that it has', async (t) => {
  const network = openNetwork();
  t.after(network.close);
  const sockets = watchSockets(t);
  const names: Record<string, string[]> = {
    'loopback.example': ['127.0.0.1'],
    'private.example': ['10.1.2.3'],
    'metadata.example': ['169.254.169.254'],
    'mapped.example': ['::ffff:127.0.0.1'],
    'nat64.example': ['64:ff9b::7f00:1'],
    'half.example': ['8.8.8.8', '192.168.0.1'],
    localhost: ['::1', '127.0.0.1'],
    'localhost.': ['127.0.0.1'],
  };
  const asked = answerNames(t, (name) => names[name] ?? ['8.8.8.8', '2606:4700::1111']);

  for (const name of Object.keys(names))
    await assert.rejects(send(network, `https://${name}/`), { kind: 'refused_address' }, name);
  assert.deepEqual(sockets, [], 'no address was handed out');

  await assert.rejects(send(network, 'https://tienda.example/'), { kind: 'broken' });
  assert.deepEqual(sockets, ['8.8.8.8'], 'a public one is called');
  const resolved = Object.keys(names).filter((name) => !name.startsWith('localhost'));
  assert.equal(asked.length, resolved.length + 1, 'localhost is refused without a question');
});

test('a name that changes its meaning after it was judged gains nothing: what was judged is what is called', async (t) => {
  const network = openNetwork();
  t.after(network.close);
  const sockets = watchSockets(t);
  let answers = 0;
  answerNames(t, () => [answers++ % 2 === 0 ? '8.8.8.8' : '127.0.0.1']);

  const tryOnce = () => send(network, 'https://rebinding.example/').catch(({ kind }) => kind);
  const kinds = [await tryOnce(), await tryOnce()];

  assert.deepEqual(sockets, ['8.8.8.8']);
  assert.deepEqual(kinds, ['broken', 'refused_address']);
});

test('a redirect is an answer, and never followed', async (t) => {
  const network = openNetwork();
  t.after(network.close);
  let visits = 0;
  const inner = createServer((_request, response) => {
    visits++;
    response.end('secret');
  }).listen(0, '127.0.0.1');
  const outer = createServer((_request, response) => {
    response.writeHead(302, { location: addressOf(inner) }).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(inner, 'listening'), once(outer, 'listening')]);
  t.after(() => [inner, outer].map((server) => server.close()));

  const answer = await send(network, addressOf(outer), 'any');

  assert.deepEqual([answer.status, answer.headers.location, visits], [302, addressOf(inner), 0]);
});

interface Choice {
  readonly as: Seller;
  readonly answer?: 'grant' | 'refuse' | 'operator';
}

/**
 * Sets out from the organisation and answers the page of consent. @returns where the browser is
 * sent then
 */
async function consent(
  { organization }: Pick<Shop, 'organization'>,
  choice: Choice,
  at = instance,
): Promise<URL> {
  return visit(await beginConsent(at.app.exchange, organization.id, 'mercado_libre'), choice);
}

async function visit(address: string, { as, answer = 'grant' }: Choice): Promise<URL> {
  const url = new URL(address);
  url.searchParams.set('simulate_user', String(as.id));
  url.searchParams.set('simulate_consent', answer);
  const page = await fetch(url, { redirect: 'manual' });
  assert.equal(page.status, 302, await page.text());
  return new URL(page.headers.get('location') ?? '');
}

/** The browser follows to the public address, behind which the instance runs. */
async function comeBack(back: URL, at = instance) {
  const page = await fetch(new URL(back.pathname + back.search, at.url), { redirect: 'manual' });
  for (const name of [
    'x-request-id',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ])
    assert.ok(page.headers.get(name), name);
  return { status: page.status, type: page.headers.get('content-type'), text: await page.text() };
}

function altered(address: URL, parameters: Record<string, string | null>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters))
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return url;
}

async function leave({ organization }: Shop, id: string): Promise<void> {
  await disconnectAccount(instance.app.exchange, organization.id, id);
}

async function assertLeft({ organization }: Shop, { id }: Seller): Promise<void> {
  const connections = await connectionsOf(instance, organization.id);
  assert.deepEqual(
    connections.map(({ account_id, state, bare }) => [account_id, state, bare]),
    [[String(id), 'disconnected', true]],
  );
  assert.deepEqual(await alertsOf(instance, organization.id), []);
  const planned = await query(instance, 'select task from schedules where organization_id = $1', [
    organization.id,
  ]);
  assert.deepEqual(planned, []);
}

async function boxesOf({ organization }: Shop) {
  const rows = await query(
    instance,
    'select credentials from connections where organization_id = $1',
    [organization.id],
  );
  return rows.map(({ credentials }) => credentials as string);
}

/** How much an organisation's attempts to connect left behind. */
async function keptOf({ organization }: Shop) {
  const [counts] = await query(
    instance,
    `select (select count(*)::int from connections where organization_id = $1) as connections,
            (select count(*)::int from schedules where organization_id = $1) as schedules`,
    [organization.id],
  );
  return counts;
}

/** The instance's own parts, but calls of such a kind wait at the door until they are let out. */
function heldAt(t: TestContext, pattern: RegExp) {
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { network } = exchange;
  t.after(() => release());
  const send: typeof network.send = async (outgoing, reach) => {
    if (pattern.test(outgoing.url)) {
      arrive();
      await released;
    }
    return network.send(outgoing, reach);
  };
  return { parts: { ...exchange, network: { ...network, send } }, reached, release };
}

/**
 * An instance on a database of its own, with jobs of its own; or, given its environment, one
 * beside it.
 */
/** The same, of another instance, and with the answer instead of the question. */
function heldAfter(t: TestContext, { app: { exchange: own } }: TestApp, pattern: RegExp) {
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  t.after(() => release());
  const send: Network['send'] = async (outgoing, reach) => {
    const answer = await own.network.send(outgoing, reach);
    if (!pattern.test(outgoing.url)) return answer;
    arrive();
    await released;
    return answer;
  };
  return { parts: { ...own, network: { ...own.network, send } }, reached, release };
}

/** Ends the connections that hold locks of one kind. */
async function cutLocks(own: TestApp, kind: LockKind): Promise<void> {
  await query(
    own,
    `select pg_terminate_backend(pid, 10000) from pg_locks
      where locktype = 'advisory' and classid = ${LOCK_KINDS[kind]}
        and database = (select oid from pg_database where datname = current_database())`,
  );
}

async function openOwnInstance(
  t: Ending,
  env: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const database = env.DATABASE_URL ? null : await freshDatabase();
  return openApp(t, { clock, env: { ...market.env, ...env }, ...(database && { database }) });
}

/** What an instance keeps of an organisation's first connection. */
async function credentialsOf(
  { app: { database, exchange: parts } }: TestApp,
  organizationId: string,
) {
  const scope = database.within(organizationId);
  const [first] = await scope.read(listConnections);
  const connection = await scope.read((reader) => connectionById(reader, first?.id ?? ''));
  assert.ok(connection);
  return openCredentials(parts.keyring, connection) as Record<string, unknown>;
}

/** Every table as text. */
async function dumpOf(own: TestApp): Promise<string> {
  const tables = await query(
    own,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'queue')`,
  );
  const rows = await Promise.all(
    tables.map(({ name }) =>
      query(own, `select '${name}' as name, string_agg(t::text, ' ') as text from ${name} t`),
    ),
  );
  return JSON.stringify(rows);
}

/** Base64 shows a text in three ways, by where it begins. */
function codingsOf(secret: string): string[] {
  const inBase64 = [0, 1, 2].map((shift) =>
    Buffer.from(`${'-'.repeat(shift)}${secret}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [secret, Buffer.from(secret).toString('hex'), encodeURIComponent(secret), ...inBase64];
}

/** Accounts of another organisation, without calls. */
async function fillWithConnections(own: TestApp, count: number): Promise<void> {
  const { organization } = await own.tenant();
  await own.app.database.within(organization.id).write(async (scope) => {
    for (let account = 1; account <= count; account++)
      await saveConnection(scope, own.app.exchange.keyring, {
        service: 'mercado_libre',
        accountId: String(account),
        name: 'Tienda',
        baseUrl: null,
        credentials: { user_id: String(account), access_token: 'APP_USR-1' },
        credentialsExpireAt: null,
      });
  });
}

/** How many boxes of an instance's database one key opens. */
async function openedBy(own: TestApp, masterKey: string) {
  const keyring = { current: Buffer.from(masterKey, 'base64'), previous: null };
  const rows = await query(
    own,
    `select organization_id, id::text as subject, 'credentials' as field, credentials as box from connections
      union all select organization_id, id::text, 'push_secret', push_secret from connections
      union all select organization_id, state_hash, 'verifier', verifier from connect_attempts`,
  );
  const texts = rows.map((row) => {
    const binding = {
      organizationId: row.organization_id,
      subjectId: row.subject,
      field: row.field,
    };
    return unsealOrNull(keyring, binding as SealBinding, row.box as string);
  });
  const opened = texts.filter((text) => text !== null).length;
  return { opened, shut: texts.length - opened };
}

/** The next so many attempts to replace credentials fail. */
async function refuseToStore(
  own: TestApp,
  times: number,
  what = 'update of credentials on connections',
): Promise<void> {
  await query(own, 'create sequence refusals');
  await query(
    own,
    `create function refuse() returns trigger language plpgsql as $$
      begin if nextval('refusals') <= ${times} then raise exception 'no room'; end if; return new; end $$`,
  );
  await query(own, `create trigger refuse before ${what} for each row execute function refuse()`);
}

function refusals(): number {
  return market.requests.filter(({ status }) => status === 401).length;
}

function send(network: Network, url: string, addresses: 'public' | 'any' = 'public') {
  const reach = { addresses, timeoutMilliseconds: 2_000, maximumBytes: 1_000 };
  return network.send({ method: 'GET', url, headers: {} }, reach);
}

/** Notes the addresses that sockets are about to call, and keeps them from it. */
function watchSockets(t: TestContext): string[] {
  const addresses: string[] = [];
  const { connect } = Socket.prototype;
  t.mock.method(
    Socket.prototype,
    'connect',
    function (this: Socket, ...options: Parameters<typeof connect>) {
      this.once('lookup', (error: Error | null, address: string) => {
        if (error) return;
        addresses.push(address);
        this.destroy(new Error('the test opens no connection'));
      });
      return connect.apply(this, options);
    },
  );
  return addresses;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`;
}
