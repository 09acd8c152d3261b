/** What an order brings and costs, one transaction at a time. */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import type { Call, Reply } from '../http.ts';
import { cents, decimal, type Order, reachedAt } from '../order.ts';
import { asinOf, paidFor } from './documents.ts';
import {
  DAY,
  invalid,
  MEXICO,
  MINUTE,
  periodOf,
  readToken,
  type Shop,
  settlementId,
  timeOf,
  tokenFor,
} from './shop.ts';

const PAGE = 20;
const LONGEST_WINDOW = 180 * DAY;
const HELD_BACK = 7 * DAY;
const FEE_SHARE = 0.15;

interface Transaction {
  readonly id: string;
  readonly type: 'Shipment' | 'Refund';
  readonly order: Order;
  readonly at: number;
  /** What the buyer paid, or, negative, got back. In cents, like `net`. */
  readonly sales: number;
  readonly net: number;
  readonly status: 'DEFERRED' | 'RELEASED' | 'DEFERRED_RELEASED';
  /** The one that was held back, and now comes again. */
  readonly released?: string;
}

interface Position {
  readonly at: number;
  readonly offset: number;
}

export function listTransactions(shop: Shop, call: Call): Reply {
  shop.enter(call, 'listTransactions');
  const { now } = shop;
  const orderId = relatedOrder(call);
  const { from, to } = postedIn(call, now() - 2 * MINUTE, orderId);
  // Longer windows answer with nothing, and say nothing.
  if (from !== null && to - from > LONGEST_WINDOW)
    return { body: { payload: { transactions: [] } } };
  const found = visibleTransactions(shop).filter(
    ({ at, order }) => at >= (from ?? 0) && at < to && (orderId === null || order.id === orderId),
  );
  const position = readToken<Position>(call.query.get('nextToken'), DAY, now());
  // The first page may be empty, and is not the end.
  if (!position && found.length > 0)
    return {
      body: { payload: { transactions: [], nextToken: tokenFor({ at: now(), offset: 0 }) } },
    };
  const end = (position?.offset ?? 0) + PAGE;
  return {
    body: {
      payload: {
        transactions: found
          .slice(position?.offset, end)
          .map((one) => transactionDocument(one, shop)),
        ...(found.length > end && { nextToken: tokenFor({ at: now(), offset: end }) }),
      },
    },
  };
}

/** Throws the documented refusal. */
function postedIn(call: Call, newest: number, orderId: string | null) {
  const from = timeOf(call, 'postedAfter');
  const to = timeOf(call, 'postedBefore') ?? newest;
  if (from === null && orderId === null) throw invalid('Start date cannot be null');
  if ((from ?? 0) > newest || to > newest)
    throw invalid('Dates must be more than two minutes before now');
  return { from, to };
}

function relatedOrder({ query }: Call): string | null {
  const name = query.get('relatedIdentifierName');
  if (name !== null && name !== 'ORDER_ID') throw invalid('Only ORDER_ID is known here');
  return name && query.get('relatedIdentifierValue');
}

/** Oldest first; the marketplace books them some hours late. */
export function visibleTransactions({ world, now, switches }: Shop): Transaction[] {
  return world
    .orders()
    .flatMap((order) => transactionsOf(order, now() - switches.lateHours * 60 * MINUTE))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

function transactionsOf(order: Order, now: number): Transaction[] {
  if (reachedAt(order, 'cancelled', now) !== null) return [];
  const shipped = reachedAt(order, 'shipped', now);
  const paid = paidFor(order);
  let left = paid;
  const refunds = order.steps
    .filter(
      ({ state, at }) => at <= now && (state === 'refunded' || state === 'partially_refunded'),
    )
    .map(({ state, at, amount }) => {
      const part = state === 'refunded' ? left : Math.min(left, cents(amount ?? '0'));
      left -= part;
      return { at, part };
    })
    .filter(({ part }) => part > 0);
  const booked = [
    ...(shipped === null ? [] : [{ type: 'Shipment' as const, at: shipped, sales: paid }]),
    ...refunds.map(({ at, part }) => ({ type: 'Refund' as const, at, sales: -part })),
  ];
  return booked.flatMap(({ type, at, sales }, index) => {
    const id = dice('transaction', order.id, index).whole(1e12, 9e12).toString(36);
    const fee = Math.round(sales * FEE_SHARE);
    return settle({ id, type, order, at, sales, net: sales - fee, status: 'RELEASED' }, now);
  });
}

/**
 * Some money is held back for a week; then the transaction changes its status, and its release is
 * one more.
 */
function settle(transaction: Transaction, now: number): Transaction[] {
  const { id, at } = transaction;
  if (!dice('deferred', id).chance(0.4)) return [transaction];
  if (at + HELD_BACK > now) return [{ ...transaction, status: 'DEFERRED' }];
  return [
    { ...transaction, status: 'DEFERRED_RELEASED' },
    { ...transaction, id: `${id}-R`, at: at + HELD_BACK, released: id },
  ];
}

function transactionDocument(transaction: Transaction, shop: Shop) {
  const { id, type, order, at, sales, net, status, released } = transaction;
  const parts = (productCharges: string, fees: string) => [
    part(productCharges, sales, [part('OurPricePrincipal', sales)]),
    part(fees, net - sales, [part('Commission', net - sales)]),
  ];
  // Said either of the whole, or of the items.
  const isWhole = dice('breakdowns', id).chance(0.5);
  return {
    sellingPartnerMetadata: {
      sellingPartnerId: shop.sellerId,
      accountType: 'Standard Orders',
      marketplaceId: MEXICO,
    },
    relatedIdentifiers: [
      related('ORDER_ID', order.id),
      related(type === 'Refund' ? 'REFUND_ID' : 'SHIPMENT_ID', `${id}-1`),
      ...(released ? [related('DEFERRED_TRANSACTION_ID', released)] : []),
      ...(status === 'RELEASED' ? [related('SETTLEMENT_ID', settlementAt(at))] : []),
    ],
    transactionType: type,
    transactionId: id,
    transactionStatus: status,
    description: type === 'Refund' ? 'Refund Order' : 'Order Payment',
    postedDate: new Date(at).toISOString(),
    totalAmount: currency(net),
    marketplaceDetails: { marketplaceId: MEXICO, marketplaceName: 'Amazon.com.mx' },
    items: [
      {
        description: order.lines[0]?.title,
        totalAmount: currency(net),
        relatedIdentifiers: null,
        breakdowns: isWhole ? null : parts('ProductCharges', 'AmazonFees'),
        contexts: [
          {
            contextType: 'ProductContext',
            asin: asinOf(order.lines[0]?.sku ?? ''),
            sku: order.lines[0]?.sku,
          },
        ],
      },
    ],
    breakdowns: isWhole ? parts('Sales', 'Expenses') : null,
    contexts: [],
  };
}

function part(breakdownType: string, amount: number, breakdowns: object[] | null = null): object {
  return { breakdownType, breakdownAmount: currency(amount), breakdowns };
}

/** The settlement that includes what was released at a time. */
function settlementAt(at: number): string {
  return settlementId(periodOf(at));
}

export function related(relatedIdentifierName: string, relatedIdentifierValue: string) {
  return { relatedIdentifierName, relatedIdentifierValue };
}

export function currency(amount: number) {
  return { currencyAmount: rawNumber(decimal(amount)), currencyCode: 'MXN' };
}
