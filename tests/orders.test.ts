import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMercadoLibre } from '../simulators/mercado_libre/index.ts';
import { openApp } from './support/app.ts';

test('a Mercado Libre order reaches the API, and its shipping appears in the delta', async (t) => {
  const instance = await openApp(t);
  const shop = await startMercadoLibre({
    seed: 1,
    now: () => instance.clock.now().epochMilliseconds,
  });
  t.after(shop.close);
  shop.world.place({
    id: '2000000000000042',
    lines: [{ title: 'Taza', unitPrice: '129.95', quantity: 2 }],
  });
  shop.world.pay('2000000000000042');
  await instance.connect('mercado_libre', { url: shop.url, credentials: shop.credentials() });

  const [first] = await instance.sync();
  assert.deepEqual(
    { ...first, pages: 0 },
    {
      marketplace: 'mercado_libre',
      stream: 'orders',
      pages: 0,
      items: 1,
      changed: 1,
      unreadable: 0,
    },
  );
  const { body: all } = await instance.api('/v1/orders');
  assert.deepEqual(
    all.data.map((order: { id: string; status: string; total: number }) => [
      order.id,
      order.status,
      order.total,
    ]),
    [['2000000000000042', 'paid', 259.9]],
  );

  instance.clock.advance({ hours: 3 });
  shop.world.ship('2000000000000042');
  await instance.sync();
  const { body: delta } = await instance.api('/v1/orders', { updated_since: all.meta.as_of });
  assert.deepEqual(
    delta.data.map((order: { id: string; status: string }) => [order.id, order.status]),
    [['2000000000000042', 'shipped']],
  );
});
