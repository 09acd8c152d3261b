import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAccount } from '../src/exchange/connect/pause.ts';
import { checkOrders } from '../src/exchange/sync/check-orders.ts';
import { WHOLE_FILE } from './spec/support/shop.ts';
import { openApp } from './support/app.ts';
import { openStage, type Stage } from './support/stand-stage.ts';
import { walmartLegacy } from './support/stand-walmart.ts';
import { STAND_OF, STANDS } from './support/stands.ts';

// «¿Está todo?»: the orders that a marketplace lists, compared with the stored ones.

const DAYS = 90;
/** More than one page of Shopify. */
const ORDERS = 30;

const shared = await openApp(WHOLE_FILE);

for (const stand of STANDS)
  test(`${stand.marketplace}${stand === walmartLegacy ? ', first version' : ''}: what the marketplace lists and is not stored is named and fetched`, async (t) => {
    const stage = await openStage(shared, stand, { seed: t.name, orders: ORDERS });
    t.after(stage.shop.close);

    const first = await check(stage);

    assert.equal(first.stopped, null);
    assert.ok(first.listed > 0);
    assert.equal(first.missing.length, first.listed, 'nothing was stored');
    const fetched = first.missing.filter(({ outcome }) => outcome === 'fetched');
    const stored = (await stage.orders()).map(({ id }) => id);
    assert.deepEqual(fetched.map(({ id }) => id).toSorted(), stored.toSorted());

    await stage.walk();
    const brought = (await stage.orders()).map(({ id }) => id);
    assert.deepEqual(
      brought.filter((id) => !stored.includes(id)),
      [],
      'a first import brings more than the list',
    );
    const second = await check(stage);
    assert.equal(second.listed, first.listed);
    assert.deepEqual(
      second.missing.filter(({ outcome }) => outcome !== 'not_given'),
      [],
      'nothing is missing',
    );
  });

test('an order that cannot be had is named, and a host that fails ends the check with the reason', async (t) => {
  const stage = await openStage(shared, STAND_OF.woocommerce, { seed: t.name, orders: ORDERS });
  t.after(stage.shop.close);
  const { field, value } = stage.stand.unreadable;
  stage.shop.faults.next({ kind: 'wrong_type', match: /\/orders\/\d+\?/, field, value, times: 50 });

  const { missing, listed } = await check(stage);
  assert.equal(missing.length, listed);
  assert.deepEqual(new Set(missing.map(({ outcome }) => outcome)), new Set(['unreadable']));

  stage.shop.faults.stop();
  stage.shop.faults.next({ kind: 'server_error', match: /./, times: 50 });
  const stopped = await check(stage);
  assert.match(stopped.stopped ?? '', /WooCommerce no responde/);
});

test('a paused account is not read by a check', async (t) => {
  const stage = await openStage(shared, STAND_OF.woocommerce, { seed: t.name, orders: 1 });
  t.after(stage.shop.close);
  await pauseAccount(shared.app.exchange, stage.organizationId, stage.connectionId);
  const asked = stage.shop.requests.length;
  await assert.rejects(check(stage), { code: 'connection_paused' });
  assert.equal(stage.shop.requests.length, asked);
});

test('a check says which time it compared: so many days, or all since an instant', async (t) => {
  const stage = await openStage(shared, STAND_OF.woocommerce, { seed: t.name, orders: 1 });
  t.after(stage.shop.close);
  const { from, to } = await check(stage);
  assert.equal(Temporal.Instant.from(from).until(to).total('hours'), 24 * DAYS);

  const since = Temporal.Instant.from(to).subtract({ hours: 1 }).toString();
  const later = await check(stage, { since });
  assert.ok(Temporal.Instant.from(later.from).equals(since));
  assert.ok(later.to >= to);
});

function check(stage: Stage, { since }: { readonly since?: string } = {}) {
  const { parts, organizationId, connectionId } = stage;
  return checkOrders(parts, { organizationId, connectionId, days: DAYS, since });
}
