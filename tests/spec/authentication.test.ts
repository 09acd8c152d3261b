import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey, revokeKey } from '../../src/features/keys/index.ts';
import { isApiKey, newApiKey } from '../../src/platform/api-key.ts';
import { openApp } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { errorOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';

// Specification, section 5: REST API.

const instance = await openApp(WHOLE_FILE);

test('the header is Authorization: Bearer <API_KEY>', async () => {
  const shop = await openShop(instance);
  const status = async (authorization: string) =>
    (await shop.get('/v1/me', {}, { key: null, headers: { authorization } })).status;

  assert.equal(await status(`Bearer ${shop.key}`), 200);
  assert.equal(await status(`bearer ${shop.key}`), 200);
  assert.equal(await status(`BEARER   ${shop.key} `), 200);
});

test('all REST operations require the Bearer header', async () => {
  await freshWindow();
  for (const path of ['/v1/orders', '/v1/orders/A1', '/v1/me', '/v1/none'])
    errorOf(await instance.api(path, {}, { key: null }), '401 missing_api_key');
});

test('a request without the header gets 401 missing_api_key', async () => {
  await freshWindow();
  const answer = await instance.api('/v1/me', {}, { key: null });

  errorOf(answer, '401 missing_api_key');
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
});

test('a header that is not Bearer gets 401 invalid_api_key', async () => {
  await freshWindow();
  const { key } = instance;
  for (const authorization of [
    'Bearer',
    `Basic ${key}`,
    key,
    `Bearer${key}`,
    `Bearer ${key} ${key}`,
    `Bearer ${key}, Bearer ${key}`,
    `Token ${key}`,
    'Bearer null',
  ]) {
    const answer = await instance.api('/v1/me', {}, { key: null, headers: { authorization } });
    errorOf(answer, '401 invalid_api_key');
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
});

test('a key elsewhere than in the header is no key', async () => {
  await freshWindow();
  const { key } = instance;
  errorOf(await instance.api('/v1/me', { api_key: key }, { key: null }), '401 missing_api_key');
  errorOf(
    await instance.api('/v1/me', {}, { key: null, headers: { 'x-api-key': key } }),
    '401 missing_api_key',
  );
});

test('the key begins with a fixed prefix, followed by characters, 49 in total', async () => {
  const keys = await Promise.all(
    Array.from({ length: 5 }, async () => (await openShop(instance)).key),
  );

  for (const key of keys) assert.match(key, /^tgs_[0-9A-Za-z]{45}$/);
  assert.equal(new Set(keys).size, keys.length);
});

test('a key that lacks the prefix or is incomplete gives 401', async () => {
  await freshWindow();
  const { key } = instance;
  const flipped = `${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`;
  for (const wrong of [
    key.slice(4),
    key.slice(0, -1),
    key.slice(0, 10),
    'tgs_',
    `${key}a`,
    `xyz_${key.slice(4)}`,
    `TGS_${key.slice(4)}`,
    key.toLowerCase() === key ? key.toUpperCase() : key.toLowerCase(),
    flipped,
    key.slice(0, 43) + key.slice(43).split('').reverse().join(''),
  ])
    errorOf(await instance.api('/v1/me', {}, { key: wrong }), '401 invalid_api_key');
});

test('a well-formed key that was never issued gives 401', async () => {
  await freshWindow();
  errorOf(await instance.api('/v1/me', {}, { key: newApiKey() }), '401 invalid_api_key');
});

test('a wrong prefix, length or checksum costs no look-up', () => {
  const key = newApiKey();
  assert.ok(isApiKey(key));
  const others = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (let place = 4; place < key.length; place++) {
    const wrong = others[(others.indexOf(key[place] as string) + 1) % 62];
    assert.ok(
      !isApiKey(key.slice(0, place) + wrong + key.slice(place + 1)),
      `a typing error at ${place}`,
    );
  }
});

test('the key is displayed once: only its hash and last four characters are kept', async () => {
  const { key } = await openShop(instance);

  const [row] = (await instance.app.database.write((handle) =>
    handle.sql(
      "select api_keys::text as row, hash, last_four from api_keys where last_four = $1 or api_keys::text like '%' || $2 || '%'",
      [key.slice(-4), key],
    ),
  )) as { row: string; hash: string; last_four: string }[];
  assert.match(row?.hash ?? '', /^[0-9a-f]{64}$/);
  assert.equal(row?.last_four, key.slice(-4));
  assert.ok(!row?.row.includes(key.slice(4, 20)));
});

test('a valid key on a plan without API access gives 403 plan_does_not_include_api', async () => {
  const shop = await openShop(instance, 'basico');

  errorOf(await shop.get('/v1/me'), '403 plan_does_not_include_api');
});

test('quotas are counted per organization, not per key', async () => {
  const shop = await openShop(instance);
  const second = await addKey(shop);

  await shop.get('/v1/me');
  const { headers } = await shop.get('/v1/me', {}, { key: second.key });
  const other = await (await openShop(instance)).get('/v1/me');

  assert.equal(headers.get('x-ratelimit-remaining'), '498');
  assert.equal(other.headers.get('x-ratelimit-remaining'), '499');
});

test('revocation takes effect within a second: 401 api_key_revoked', async () => {
  const shop = await openShop(instance);
  const { id, key } = await addKey(shop);
  assert.equal((await shop.get('/v1/me', {}, { key })).status, 200);

  await instance.app.database.write((handle) => revokeKey(handle, 'operator', id));

  await soon(
    async () => void errorOf(await shop.get('/v1/me', {}, { key }), '401 api_key_revoked'),
  );
  assert.equal((await shop.get('/v1/me')).status, 200, 'the other key goes on');
});

test('a key that was revoked by a process whose clock is ahead is refused all the same', async () => {
  const shop = await openShop(instance);
  await database('update api_keys set revoked_at = $2 where id = $1', [
    shop.keyId,
    '2027-01-01T00:00:00Z',
  ]);

  errorOf(await shop.get('/v1/me'), '401 api_key_revoked');
});

test('an expired key gives 401 api_key_expired, from the instant that was agreed', async () => {
  const shop = await openShop(instance);
  const { key } = await addKey(shop, { days: 30 });

  instance.clock.advance({ milliseconds: 30 * 24 * 3_600_000 - 1 });
  assert.equal((await shop.get('/v1/me', {}, { key })).status, 200);
  instance.clock.advance({ milliseconds: 1 });
  const answer = await shop.get('/v1/me', {}, { key });
  errorOf(answer, '401 api_key_expired');
  assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
});

test('the order of refusals: unknown, revoked, expired, then plan, then scope', async () => {
  const shop = await openShop(instance, 'basico');
  const { id, key } = await addKey(shop, { days: 30, scopes: ['sales:read'] });

  errorOf(await shop.get('/v1/orders', {}, { key }), '403 plan_does_not_include_api');
  instance.clock.advance({ hours: 30 * 24 });
  errorOf(await shop.get('/v1/orders', {}, { key }), '401 api_key_expired');
  await instance.app.database.write((handle) => revokeKey(handle, 'operator', id));
  await soon(
    async () => void errorOf(await shop.get('/v1/orders', {}, { key }), '401 api_key_revoked'),
  );
});

test('one address may fail 60 times a minute; then its failures get 429 too_many_requests', async () => {
  await freshWindow();
  const statuses: number[] = [];
  for (let count = 0; count < 60; count++) {
    const answer = await instance.api('/v1/me', {}, { key: 'tgs_wrong' });
    statuses.push(answer.status);
    assert.equal(answer.headers.get('x-ratelimit-limit'), '60');
    assert.equal(answer.headers.get('x-ratelimit-remaining'), String(59 - count));
  }
  assert.deepEqual(new Set(statuses), new Set([401]));

  instance.clock.advance({ seconds: 20 });
  for (const key of ['tgs_wrong', null, newApiKey()]) {
    const answer = await instance.api('/v1/me', {}, { key });
    errorOf(answer, '429 too_many_requests');
    assert.equal(answer.headers.get('retry-after'), '40');
  }
  instance.clock.advance({ seconds: 40 });
  errorOf(await instance.api('/v1/me', {}, { key: 'tgs_wrong' }), '401 invalid_api_key');
});

test('the guard of an address never blocks a good key', async () => {
  await freshWindow();
  for (let count = 0; count < 61; count++) await instance.api('/v1/me', {}, { key: 'tgs_wrong' });
  errorOf(await instance.api('/v1/me', {}, { key: 'tgs_wrong' }), '429 too_many_requests');

  const shop = await openShop(instance);
  assert.equal((await shop.get('/v1/me')).status, 200);
  errorOf(await shop.get('/v1/orders', { limit: 0 }), '400 invalid_request');
  assert.equal((await instance.api('/healthz', {}, { key: null })).status, 200);
  assert.equal((await instance.api('/v1/openapi.json', {}, { key: null })).status, 200);
});

test('the guard counts failed authentications and nothing else', async () => {
  await freshWindow();
  const [shop, poor] = [await openShop(instance), await openShop(instance, 'basico')];
  await shop.get('/v1/me');
  await shop.get('/v1/orders', { limit: 0 });
  await shop.get('/v1/none');
  await poor.get('/v1/me');
  await instance.api('/healthz', {}, { key: null });
  await instance.api('/none', {}, { key: null });

  const { headers } = await instance.api('/v1/openapi.json', {}, { key: null });
  assert.equal(headers.get('x-ratelimit-limit'), '60');
  assert.equal(headers.get('x-ratelimit-remaining'), '60');
});

test('TRUSTED_PROXIES decides whose forwarded address counts', async (t) => {
  const behind = await openApp(t, {
    database: await freshDatabase(),
    env: { TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' },
  });
  const remaining = async (at: typeof behind, forwarded: string) => {
    const headers = { 'x-forwarded-for': forwarded };
    const answer = await at.api('/v1/me', {}, { key: null, headers });
    return Number(answer.headers.get('x-ratelimit-remaining'));
  };

  assert.equal(await remaining(behind, '203.0.113.1'), 59);
  assert.equal(await remaining(behind, '203.0.113.2'), 59);
  assert.equal(
    await remaining(behind, '198.51.100.9, 203.0.113.1'),
    58,
    'the nearest that is not ours',
  );
  assert.equal(await remaining(behind, '203.0.113.1, 10.1.2.3'), 57, 'past our own proxies');
  assert.equal(await remaining(behind, '2001:db8:1:2::1'), 59);
  assert.equal(await remaining(behind, '2001:db8:1:2:ffff::9'), 58, 'one person has a whole /64');
  assert.equal(await remaining(behind, '2001:db8:1:3::1'), 59);
  assert.equal(await remaining(behind, '2001:db8::1'), 59);
  assert.equal(await remaining(behind, '2001:db8::2'), 58, 'also one whose zeros are left out');
  assert.equal(await remaining(behind, '2001:db8:0:0:3:4:5:6'), 57);

  const behindAny = await openApp(t, {
    database: await freshDatabase(),
    env: { TRUSTED_PROXIES: '0.0.0.0/0' },
  });
  assert.equal(await remaining(behindAny, '2001:db8::1, 198.51.100.9, 203.0.113.1'), 59);
  assert.equal(await remaining(behindAny, '2001:db8::2, 10.0.0.1'), 58, 'past every IPv4 address');

  await freshWindow();
  assert.equal(await remaining(instance, '203.0.113.1'), 59);
  assert.equal(await remaining(instance, '203.0.113.2'), 58, 'no proxy is trusted here');
});

/** Failures of other tests are forgotten. */
async function freshWindow() {
  instance.clock.advance({ seconds: 61 });
}

function addKey(shop: Shop, terms: { days?: number; scopes?: string[] } = {}) {
  return instance.app.database
    .within(shop.organization.id)
    .write((scope) => createKey(scope, 'operator', { name: 'otra', ...terms }));
}

function database(text: string, values: unknown[]) {
  return instance.app.database.write((handle) => handle.sql(text, values));
}
