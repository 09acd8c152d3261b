/**
 * Goods on the shelves, daily statements of what was delivered, and their payment three days later.
 */
import { decimal, reachedAt, shelvesOf } from '../order.ts';
import { moneyOf, sumOf } from './facts.ts';
import { type Document, longId, productId, type Room, seconds, skuId } from './shop.ts';

const DAY = 86_400_000;
const PAID_AFTER = 3 * DAY;
const WAREHOUSE = '7054915283043170001';

export function productDocuments({ world }: Room): Document[] {
  return world.products.map((product) => ({
    id: productId(product.sku),
    title: `${product.title}\n`,
    status: 'ACTIVATE',
    create_time: seconds(Date.parse('2026-01-05T16:00:00Z')),
    skus: shelvesOf(product).map(({ sku }) => ({ id: skuId(sku), seller_sku: sku })),
  }));
}

export function inventoryDocuments({ world }: Room): Document[] {
  const stock = world.stock();
  return world.products.map((product) => ({
    product_id: productId(product.sku),
    skus: shelvesOf(product).map(({ sku }) => skuDocument(sku, stock.get(sku) ?? 0)),
  }));
}

function skuDocument(sku: string, quantity: number): Document {
  return {
    id: skuId(sku),
    seller_sku: sku,
    total_available_quantity: quantity,
    total_committed_quantity: 1,
    warehouse_inventory: [
      { warehouse_id: WAREHOUSE, available_quantity: quantity, committed_quantity: 1 },
    ],
  };
}

/** Amounts are signed by their effect on the seller's money: fees are below zero. */
export function statementDocuments({ world, now }: Room): Document[] {
  const days = Map.groupBy(
    world.orders().filter((order) => reachedAt(order, 'delivered', now()) !== null),
    (order) => Math.floor((reachedAt(order, 'delivered', now()) as number) / DAY) + 1,
  );
  return [...days]
    .filter(([day]) => day * DAY <= now())
    .map(([day, orders]) => {
      const pieces = orders.flatMap((order) => moneyOf(order).pieces);
      // The marketplace pays the seller for its own discounts.
      const revenue = sumOf(pieces, 'sale') + sumOf(pieces, 'platformDiscount');
      const fee = -Math.round(revenue * 0.08);
      const isPaid = day * DAY + PAID_AFTER <= now();
      return {
        id: longId('7238', 'statement', day),
        statement_time: seconds(day * DAY),
        currency: 'MXN',
        revenue_amount: decimal(revenue),
        fee_amount: decimal(fee),
        net_sales_amount: decimal(revenue),
        shipping_cost_amount: '0',
        adjustment_amount: '0',
        settlement_amount: decimal(revenue + fee),
        payment_status: isPaid ? 'PAID' : 'PROCESSING',
        ...(isPaid && { payment_id: longId('3459', 'payment', day) }),
      };
    });
}

export function paymentDocuments(room: Room): Document[] {
  return statementDocuments(room)
    .filter(({ payment_id }) => payment_id !== undefined)
    .map(({ payment_id, statement_time, settlement_amount }) => ({
      id: payment_id,
      status: 'PAID',
      create_time: Number(statement_time) + PAID_AFTER / 1_000 - 3_600,
      paid_time: Number(statement_time) + PAID_AFTER / 1_000,
      amount: { currency: 'MXN', value: settlement_amount },
      settlement_amount: { currency: 'MXN', value: settlement_amount },
      reserve_amount: { currency: 'MXN', value: '0' },
      exchange_rate: '1.000000',
      bank_account: '***********0001',
    }));
}
