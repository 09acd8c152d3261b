import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createKey,
  type KeyTerms,
  listKeys,
  regenerateKey,
  revokeKey,
  SCOPES,
} from '../../src/features/keys/index.ts';
import { PLANS } from '../../src/features/plans/index.ts';
import { actsBefore } from '../../src/features/trail/index.ts';
import { Failure } from '../../src/platform/failure.ts';
import { openApp } from '../support/app.ts';
import { errorOf, openShop, type Shop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';

// Specification, section 5, gaps: key scopes, expiry, rotation and number of keys.
// Also runs on served PostgreSQL and Redis.

const instance = await openApp(WHOLE_FILE);

test('scopes: orders:read is a new key’s only one', async () => {
  const shop = await openShop(instance);

  const { body } = await shop.get('/v1/me');
  assert.deepEqual(body.data.key.scopes, ['orders:read']);
});

test('scopes: the six names, in keys as given, each once', async () => {
  const shop = await openShop(instance);
  assert.deepEqual(SCOPES, [
    'orders:read',
    'sales:read',
    'inventory:read',
    'cfdi:read',
    'balances:read',
    'shipments:read',
  ]);
  const { key } = await make(shop, { name: 'todo', scopes: [...SCOPES, 'orders:read'] });

  const { body } = await shop.get('/v1/me', {}, { key });
  assert.deepEqual(body.data.key.scopes, SCOPES);
});

test('scopes: an unknown one, or none, is refused', async () => {
  const shop = await openShop(instance);
  for (const scopes of [['orders:write'], [], ['orders:read', '']])
    await refused(make(shop, { name: 'x', scopes }), 'invalid_request');
});

test('scopes: orders need orders:read, or 403 insufficient_scope', async () => {
  const shop = await openShop(instance);
  const { key } = await make(shop, { name: 'ventas', scopes: ['sales:read'] });

  for (const path of ['/v1/orders', '/v1/orders/A1']) {
    const error = errorOf(await shop.get(path, {}, { key }), '403 insufficient_scope');
    assert.deepEqual(error.details, { required_scope: 'orders:read' });
  }
});

test('scopes: /v1/me needs a valid key and no scope', async () => {
  const shop = await openShop(instance);
  const { key } = await make(shop, { name: 'ventas', scopes: ['sales:read'] });

  assert.equal((await shop.get('/v1/me', {}, { key })).status, 200);
});

test('a key is listed with its last four characters, and the trail says what became of it', async () => {
  const shop = await openShop(instance);
  const { id, key } = await make(shop, { name: 'almacén' });
  const database = instance.app.database.within(shop.organization.id);
  const listed = (await database.read(listKeys)).find((one) => one.id === id);
  assert.equal(listed?.lastFour, key.slice(-4));
  assert.equal(listed?.name, 'almacén');

  const fresh = await database.write((scope) => regenerateKey(scope, 'operator', id));
  await instance.app.database.write((handle) => revokeKey(handle, 'operator', fresh.id));

  const acts = await database.read((scope) => actsBefore(scope, null, 3));
  assert.deepEqual(
    acts.map(({ act, subject, label }) => [act, subject, label]),
    [
      ['api_key_revoked', fresh.id, 'almacén'],
      ['api_key_regenerated', fresh.id, 'almacén'],
      ['api_key_made', id, 'almacén'],
    ],
  );
});

test('expiry: none, 30, 90, 180 or 365 days', async () => {
  const shop = await openShop(instance);
  for (const days of [30, 90, 180, 365]) {
    const { key } = await make(shop, { name: 'vence', days });
    const { body } = await shop.get('/v1/me', {}, { key });
    const left = instance.clock.now().until(Temporal.Instant.from(body.data.key.expires_at));
    assert.equal(left.total('hours'), days * 24);
  }
  assert.equal((await shop.get('/v1/me')).body.data.key.expires_at, null);
  for (const days of [0, -30, 31, 1.5, 36_500])
    await refused(make(shop, { name: 'x', days }), 'invalid_request');
});

test('names are 1 to 60 characters', async () => {
  const shop = await openShop(instance);
  for (const name of ['', '   ', 'a'.repeat(61)])
    await refused(make(shop, { name }), 'invalid_request');

  const { key } = await make(shop, { name: ` ${'á'.repeat(60)} ` });
  assert.equal((await shop.get('/v1/me', {}, { key })).body.data.key.name, 'á'.repeat(60));
});

for (const [overlap, hours] of [
  [0, 0],
  [1, 1],
  [undefined, 24],
  [24, 24],
  [168, 168],
] as const) {
  test(`regenerating with an overlap of ${overlap ?? 'nothing said'}: the former key works ${hours} hours more`, async () => {
    const shop = await openShop(instance);
    const { key } = await regenerate(shop, shop.keyId, overlap);

    assert.equal((await shop.get('/v1/me', {}, { key })).status, 200);
    if (hours > 0) {
      instance.clock.advance({ milliseconds: hours * 3_600_000 - 1 });
      await soon(async () => assert.equal((await shop.get('/v1/me')).status, 200));
      instance.clock.advance({ milliseconds: 1 });
    }
    await soon(async () => void errorOf(await shop.get('/v1/me'), '401 api_key_expired'));
    assert.equal((await shop.get('/v1/me', {}, { key })).status, 200);
  });
}

test('a regenerated key has the same name, scopes and lifetime', async () => {
  const shop = await openShop(instance);
  const former = await make(shop, {
    name: 'reportes',
    scopes: ['sales:read', 'orders:read'],
    days: 90,
  });
  instance.clock.advance({ hours: 24 });

  const { key } = await regenerate(shop, former.id);

  const { data } = (await shop.get('/v1/me', {}, { key })).body;
  assert.deepEqual([data.key.name, data.key.scopes], ['reportes', ['sales:read', 'orders:read']]);
  const left = instance.clock.now().until(Temporal.Instant.from(data.key.expires_at));
  assert.equal(left.total('hours'), 90 * 24);
});

test('the overlap never lengthens the former key’s life', async () => {
  const shop = await openShop(instance);
  const former = await make(shop, { name: 'corta', days: 30 });
  instance.clock.advance({ hours: 30 * 24 - 1 });
  await regenerate(shop, former.id, 168);

  instance.clock.advance({ hours: 1 });
  errorOf(await shop.get('/v1/me', {}, { key: former.key }), '401 api_key_expired');
});

test('only an active key can be regenerated, once, with a known overlap', async () => {
  const shop = await openShop(instance);
  await refused(regenerate(shop, shop.keyId, 2), 'invalid_request');
  await regenerate(shop, shop.keyId);
  await refused(regenerate(shop, shop.keyId), 'not_found');
  await refused(regenerate(shop, '00000000-0000-4000-8000-000000000000'), 'not_found');
  const other = await openShop(instance);
  await refused(regenerate(shop, other.keyId), 'not_found');
});

test('10 active keys an organisation; the eleventh gives 409 api_key_limit_reached', async () => {
  const shop = await openShop(instance);
  assert.deepEqual(
    Object.values(PLANS).map(({ keys }) => keys),
    [10, 10, 10, 10, 50],
  );
  for (let count = 1; count < 10; count++) await make(shop, { name: `${count}` });

  const failure = await refused(make(shop, { name: 'once' }), 'api_key_limit_reached');
  assert.equal(failure.status, 409);
});

test('50 active keys on Experto', async () => {
  const shop = await openShop(instance, 'experto');
  for (let count = 1; count < 50; count++) await make(shop, { name: `${count}` });

  await refused(make(shop, { name: 'otra' }), 'api_key_limit_reached');
});

test('revoked, expired and overlapping-old keys do not count', async () => {
  const shop = await openShop(instance);
  const made: { id: string; key: string }[] = [];
  for (let count = 1; count < 10; count++)
    made.push(await make(shop, { name: `${count}`, ...(count === 1 && { days: 30 }) }));

  await regenerate(shop, made[8]?.id ?? '');
  await refused(make(shop, { name: 'x' }), 'api_key_limit_reached');
  await instance.app.database.write((handle) => revokeKey(handle, 'operator', made[7]?.id ?? ''));
  await make(shop, { name: 'in its place' });
  await refused(make(shop, { name: 'x' }), 'api_key_limit_reached');
  instance.clock.advance({ hours: 30 * 24 });
  await make(shop, { name: 'in the place of the expired one' });
  await refused(make(shop, { name: 'x' }), 'api_key_limit_reached');
});

test('eight that ask for the tenth key at once: one gets it', async () => {
  const shop = await openShop(instance);
  const names = ['1', '2', '3', '4', '5', '6', '7', '8'];
  // Together, so that the eight after them find eight connections open.
  await Promise.all(names.map((name) => make(shop, { name })));

  const outcomes = await Promise.allSettled(names.map((name) => make(shop, { name })));

  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('revoked keys stay listed for 90 days', async () => {
  const shop = await openShop(instance);
  await instance.app.database.write((handle) => revokeKey(handle, 'operator', shop.keyId));
  const listed = async () =>
    (await instance.app.database.within(shop.organization.id).read(listKeys)).map(({ id }) => id);

  instance.clock.advance({ hours: 90 * 24 });
  assert.deepEqual(await listed(), [shop.keyId]);
  instance.clock.advance({ milliseconds: 1 });
  assert.deepEqual(await listed(), []);
});

test('revoking twice keeps the first time; an unknown key cannot be revoked', async () => {
  const shop = await openShop(instance);
  const revoke = (id: string) =>
    instance.app.database.write((handle) => revokeKey(handle, 'operator', id));
  const revokedAt = async () =>
    (
      await instance.app.database.within(shop.organization.id).read(listKeys)
    )[0]?.revokedAt?.toString();

  assert.equal(await revoke(shop.keyId), true);
  const first = await revokedAt();
  instance.clock.advance({ hours: 1 });
  assert.equal(await revoke(shop.keyId), true);
  assert.equal(await revokedAt(), first);
  assert.equal(await revoke('00000000-0000-4000-8000-000000000000'), false);
});

function make(shop: Shop, terms: KeyTerms) {
  return instance.app.database
    .within(shop.organization.id)
    .write((scope) => createKey(scope, 'operator', terms));
}

function regenerate(shop: Shop, id: string, overlap?: number) {
  return instance.app.database
    .within(shop.organization.id)
    .write((scope) =>
      regenerateKey(scope, 'operator', id, ...(overlap === undefined ? [] : [overlap])),
    );
}

async function refused(work: Promise<unknown>, code: string): Promise<Failure> {
  const failure = await work.then(
    () => null,
    (error) => error,
  );
  assert.ok(failure instanceof Failure, `expected ${code}`);
  assert.equal(failure.code, code);
  return failure;
}
