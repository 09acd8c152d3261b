import assert from 'node:assert/strict';
import { test } from 'node:test';
import { syncOrganization } from '../src/exchange/sync/sync-organization.ts';
import { openApp } from './support/app.ts';
import type { PurchaseCell, Stand } from './support/stand.ts';
import { STANDS } from './support/stands.ts';

// One meaning for each figure of an order (docs/money.md): one purchase, in the format of each
// simulator, reads the same.

const PURCHASE = {
  lines: [{ quantity: 1, listPrice: '229.00', unitPrice: '171.75' }],
  coupon: '20.00',
  shipping: '99.00',
};

const READS: Readonly<Record<PurchaseCell, number>> = {
  unit_price: 171.75,
  list_price: 229,
  subtotal: 171.75,
  order_discount: 20,
  discount_total: 77.25,
  shipping_total: 99,
  paid: 250.75,
};

for (const stand of STANDS) {
  const name = nameOf(stand);

  test(`${name}: the one purchase reads as at every marketplace`, async (t) => {
    const { shop, details } = await openShop(t, stand);
    const { id } = shop.world.place(PURCHASE);
    shop.world.pay(id);

    const [order] = await details();
    const expected = Object.fromEntries(
      Object.entries(READS).map(([cell, value]) => {
        const other = stand.purchase?.[cell as PurchaseCell];
        return [cell, other ? other.is : value];
      }),
    );
    assert.deepEqual(cellsOf(order), expected);
    assert.equal(order.money_check, 'ok');
  });

  test(`${name}: the parts of every order give its total`, { tags: ['slow'] }, async (t) => {
    const { shop, details } = await openShop(t, stand);
    shop.world.fill({ orders: 120, days: 20 });

    const orders = await details();
    assert.ok(orders.length >= 50, `${orders.length} orders`);
    for (const { id, total, money_check, money_difference } of orders)
      assert.equal(
        money_check,
        total === null ? null : 'ok',
        `${id}: ${money_difference} of ${total}`,
      );
    for (const { items } of orders)
      for (const { quantity, cancelled_quantity, unit_price } of items) {
        assert.ok(Number.isInteger(quantity) && quantity > 0 && cancelled_quantity <= quantity);
        assert.ok(unit_price > 0);
      }
  });
}

function nameOf({ marketplace, pageSize }: Stand): string {
  const same = STANDS.filter((stand) => stand.marketplace === marketplace);
  return same.length > 1 ? `${marketplace} (pages of ${pageSize})` : marketplace;
}

/** A simulator's shop, connected, and what the API says of each of its orders after a sync run. */
async function openShop(t: Parameters<typeof openApp>[0], stand: Stand) {
  const instance = await openApp(t, { plan: 'experto' });
  const shop = await stand.start({
    seed: `money ${stand.marketplace} ${stand.pageSize}`,
    now: () => instance.clock.now().epochMilliseconds,
    limited: false,
  });
  t.after(shop.close);
  const details = async () => {
    // Some lists hold back the newest minutes.
    instance.clock.advance({ minutes: 10 });
    await instance.connect(stand.marketplace, { url: shop.url, credentials: shop.credentials() });
    const request = {
      organizationId: instance.organization.id,
      service: stand.marketplace,
      stream: 'orders',
    } as const;
    for (const { error } of await syncOrganization(instance.app.exchange, request))
      assert.equal(error, undefined);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = (
        await instance.api('/v1/orders', { limit: 100, ...(cursor && { cursor }) })
      ).body;
      ids.push(...page.data.map(({ id }) => id));
      cursor = page.pagination.next_cursor;
    }
    const read = async (id: string) =>
      (await instance.api(`/v1/orders/${encodeURIComponent(id)}`)).body.data;
    return Promise.all(ids.map(read));
  };
  return { shop, details };
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly next_cursor: string | null };
}

// biome-ignore lint/suspicious/noExplicitAny: an order as the API answers it
function cellsOf(order: any): Record<PurchaseCell, number | null> {
  const { total, total_includes, shipping_total, tax_added, order_discount } = order;
  const outside = [
    total_includes?.shipping ? 0 : (shipping_total ?? 0),
    total_includes?.tax ? 0 : (tax_added ?? 0),
    total_includes?.order_discount ? 0 : -(order_discount ?? 0),
  ];
  return {
    unit_price: order.items[0].unit_price,
    list_price: order.items[0].list_price,
    subtotal: order.subtotal,
    order_discount,
    discount_total: order.discount_total,
    shipping_total,
    paid: Number((total + outside.reduce((sum, part) => sum + part, 0)).toFixed(2)),
  };
}
