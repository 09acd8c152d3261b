import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMercadoLibre } from '../../simulators/mercado_libre/index.ts';
import { createKey } from '../../src/features/keys/index.ts';
import { anOrder, openApp } from '../support/app.ts';
import { freshDatabase } from '../support/server.ts';
import { openShop, WHOLE_FILE } from './support/shop.ts';
import { soon } from './support/soon.ts';

// Specification, section 2: organization and key metadata; section 4: GET /v1/me.

const instance = await openApp(WHOLE_FILE);

test('data has organization_id, plan, marketplaces_connected and trial_ends_at', async () => {
  const shop = await openShop(instance);

  const { status, body } = await shop.get('/v1/me');
  assert.equal(status, 200);
  const { key, limits, ...organization } = body.data;
  assert.deepEqual(organization, {
    organization_id: shop.organization.id,
    plan: 'intermedio',
    marketplaces_connected: 0,
    trial_ends_at: null,
  });
  assert.ok(key && limits);
});

test('it returns metadata of the key in use', async () => {
  const shop = await openShop(instance);
  const terms = { name: 'Hoja de cálculo', scopes: ['orders:read', 'sales:read'], days: 30 };
  const made = await instance.app.database
    .within(shop.organization.id)
    .write((scope) => createKey(scope, 'operator', terms));
  const now = instance.clock.now();

  const { body } = await shop.get('/v1/me', {}, { key: made.key });
  const { last_used_at: _, ...key } = body.data.key;
  assert.deepEqual(key, {
    id: made.id,
    name: 'Hoja de cálculo',
    last_four: made.key.slice(-4),
    scopes: ['orders:read', 'sales:read'],
    created_at: now.toString({ smallestUnit: 'millisecond' }),
    expires_at: now.add({ hours: 30 * 24 }).toString({ smallestUnit: 'millisecond' }),
  });
  assert.ok(!JSON.stringify(body).includes(made.key));
});

test('limits: requests a minute and webhooks as they apply now', async () => {
  const { body } = await (await openShop(instance)).get('/v1/me');

  assert.deepEqual(body.data.limits, { requests_per_minute: 500, webhooks: 'read' });
});

test('trial_ends_at is null when there is no trial running', async () => {
  for (const plan of ['intermedio', 'avanzado', 'experto'] as const) {
    const { body } = await (await openShop(instance, plan)).get('/v1/me');
    assert.equal(body.data.trial_ends_at, null);
  }
  await instance.setPlan('demo');
  await instance.setPlan('intermedio');
  await soon(async () =>
    assert.equal((await instance.api('/v1/me')).body.data.trial_ends_at, null),
  );
});

test('marketplaces_connected counts marketplaces, not accounts', async (t) => {
  const own = await openApp(t, { database: await freshDatabase() });
  const market = await startMercadoLibre({
    seed: 1,
    now: () => own.clock.now().epochMilliseconds,
    sellers: [1001, 1002],
  });
  t.after(market.close);
  const connected = async () => (await own.api('/v1/me')).body.data.marketplaces_connected;

  assert.equal(await connected(), 0);
  for (const seller of [1001, 1002]) {
    await own.connect('mercado_libre', {
      url: market.url,
      credentials: market.credentials(seller),
    });
    assert.equal(await connected(), 1);
  }
});

test('imported orders connect nothing', async () => {
  const shop = await openShop(instance);
  await shop.record(anOrder({ marketplace: 'vtex' }), anOrder({ marketplace: 'amazon' }));

  assert.equal((await shop.get('/v1/me')).body.data.marketplaces_connected, 0);
});

test('the result needs refreshing when the plan changes: it shows the new one within a second', async () => {
  await instance.setPlan('avanzado');
  await soon(async () => {
    const { data } = (await instance.api('/v1/me')).body;
    assert.deepEqual([data.plan, data.limits.webhooks], ['avanzado', 'full']);
  });
});

test('last_used_at is the last use before this one', async () => {
  const shop = await openShop(instance);
  const first = await shop.get('/v1/me');
  const usedAt = instance.clock.now();
  instance.clock.advance({ minutes: 1 });
  const second = await shop.get('/v1/me');

  assert.equal(first.body.data.key.last_used_at, null);
  assert.equal(second.body.data.key.last_used_at, usedAt.toString({ smallestUnit: 'millisecond' }));
});
