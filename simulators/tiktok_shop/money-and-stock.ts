/**
 * Goods on the shelves, daily statements of what was delivered, and their payment three days later.
 */
import { cents, decimal, type Order, placedAt, reachedAt, shelvesOf } from '../order.ts';
import { moneyOf, sumOf } from './facts.ts';
import { type Document, longId, orderId, productId, type Room, seconds, skuId } from './shop.ts';

const DAY = 86_400_000;
const PAID_AFTER = 3 * DAY;
const FEE_SHARE = 0.08;
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

/** The money of an order that a statement includes, in cents. */
interface Entry {
  readonly order: Order;
  readonly at: number;
  /** Negative where it goes back to the buyer. */
  readonly revenue: number;
  readonly fee: number;
}

/** Amounts are signed by their effect on the seller's money: fees are below zero. */
export function statementDocuments(room: Room): Document[] {
  return [...entriesByDay(room)].map(([day, entries]) => {
    const revenue = entries.reduce((sum, entry) => sum + entry.revenue, 0);
    const fee = entries.reduce((sum, entry) => sum + entry.fee, 0);
    const isPaid = day * DAY + PAID_AFTER <= room.now();
    return {
      id: statementId(day),
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

/** What a statement is made of, an order and its refunds apart. */
export function statementTransactions(room: Room, statement: string): Document[] {
  const found = [...entriesByDay(room)].find(([day]) => statementId(day) === statement);
  return (found?.[1] ?? []).map(({ order, at, revenue, fee }) => ({
    id: longId('1636', 'transaction', order.id, at),
    type: 'ORDER',
    order_id: orderId(order),
    order_create_time: seconds(placedAt(order)),
    currency: 'MXN',
    revenue_amount: decimal(revenue),
    net_sales_amount: decimal(revenue),
    gross_sales_amount: decimal(Math.max(revenue, 0)),
    gross_sales_refund_amount: decimal(Math.min(revenue, 0)),
    seller_discount_amount: '0',
    seller_discount_refund_amount: '0',
    shipping_cost_amount: '0',
    customer_paid_shipping_fee_amount: '0',
    fee_amount: decimal(fee),
    platform_commission_amount: '0',
    referral_fee_amount: decimal(fee),
    transaction_fee_amount: '0',
    affiliate_commission_amount: '0',
    adjustment_amount: '0',
    settlement_amount: decimal(revenue + fee),
  }));
}

/** By the day of the statement, which is the one after. */
function entriesByDay({ world, now, switches }: Room): Map<number, Entry[]> {
  const days = Map.groupBy(
    world
      .orders()
      .filter(({ id }) => !switches.heldOrders.has(id))
      .flatMap((order) => entriesOf(order, now())),
    ({ at }) => Math.floor(at / DAY) + 1,
  );
  return new Map([...days].filter(([day]) => day * DAY <= now()).sort(([a], [b]) => a - b));
}

/** A delivered order, and what went back of it later. */
function entriesOf(order: Order, now: number): Entry[] {
  const delivered = reachedAt(order, 'delivered', now);
  if (delivered === null) return [];
  const { pieces } = moneyOf(order);
  // The marketplace pays the seller for its own discounts.
  const sold = sumOf(pieces, 'sale') + sumOf(pieces, 'platformDiscount');
  let left = sold;
  const back = order.steps
    .filter(({ at }) => at <= now)
    .filter(({ state }) => state === 'refunded' || state === 'partially_refunded')
    .map(({ state, at, amount }) => {
      const part = state === 'refunded' ? left : Math.min(left, cents(amount ?? '0'));
      left -= part;
      return { at: Math.max(at, delivered + 1), revenue: -part };
    })
    .filter(({ revenue }) => revenue !== 0);
  return [{ at: delivered, revenue: sold }, ...back].map(({ at, revenue }) => ({
    ...{ order, at, revenue },
    fee: -Math.round(revenue * FEE_SHARE),
  }));
}

function statementId(day: number): string {
  return longId('7238', 'statement', day);
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
