/** Transactions, balances and payouts. Amounts are JSON numbers here, unlike those of orders. */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { cents, decimal, type Order, reachedAt } from '../order.ts';
import { asinOf, paidFor } from './documents.ts';
import {
  DAY,
  invalid,
  iso,
  MEXICO,
  MINUTE,
  readToken,
  type Shop,
  timeOf,
  tokenFor,
} from './shop.ts';

const PAGE = 20;
const LONGEST_WINDOW = 180 * DAY;
const HELD_BACK = 7 * DAY;
const FEE_SHARE = 0.15;
const PERIOD = 14 * DAY;
const PERIODS = 4;
const RESERVE = 50_000;

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

export function financeRoutes(shop: Shop): Routes {
  const { now, world } = shop;
  const visible = () =>
    world
      .orders()
      .flatMap((order) => transactionsOf(order, now() - shop.switches.lateHours * 60 * MINUTE))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

  function listTransactions(call: Call): Reply {
    shop.enter(call, 'listTransactions');
    const orderId = relatedOrder(call);
    const newest = now() - 2 * MINUTE;
    const from = timeOf(call, 'postedAfter');
    const to = timeOf(call, 'postedBefore') ?? newest;
    if (from === null && orderId === null) throw invalid('Start date cannot be null');
    if ((from ?? 0) > newest || to > newest)
      throw invalid('Dates must be more than two minutes before now');
    // Longer windows answer with nothing, and say nothing.
    if (from !== null && to - from > LONGEST_WINDOW)
      return { body: { payload: { transactions: [] } } };
    const found = visible().filter(
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

  /** The tree is said once for each kind of account; its parts add up to what they are in. */
  function listBalances(call: Call): Reply {
    shop.enter(call, 'listBalances');
    const current = visible().filter(({ at }) => at >= periodOf(now()));
    const sum = (status: string) =>
      current.filter((one) => one.status === status).reduce((total, { net }) => total + net, 0);
    const [deferred, released] = [sum('DEFERRED'), sum('RELEASED')];
    const part = (balanceType: string, amount: number) => ({
      balanceType,
      amount: currency(amount),
    });
    return {
      body: {
        balances: [
          {
            partnerMetadata: partner(shop),
            ...part('TOTAL', released + deferred),
            lastUpdatedTime: local(now()),
            balances: [
              part('AVAILABLE', released - RESERVE),
              {
                ...part('RESERVED', deferred + RESERVE),
                balances: [part('DEFERRED', deferred), part('ACCOUNT_LEVEL_RESERVE', RESERVE)],
              },
            ],
          },
        ],
      },
    };
  }

  function earnedIn(start: number): number {
    const within = visible().filter(({ at }) => at >= start && at < start + PERIOD);
    return within
      .filter(({ status }) => status === 'RELEASED')
      .reduce((total, { net }) => total + net, 0);
  }

  function listPayouts(call: Call): Reply {
    shop.enter(call, 'listPayouts');
    const from = timeOf(call, 'createdAfter') ?? 0;
    const to = timeOf(call, 'createdBefore') ?? now();
    const starts = Array.from(
      { length: PERIODS },
      (_, index) => periodOf(now()) - (index + 1) * PERIOD,
    );
    const made = starts.filter((start) => start + PERIOD >= from && start + PERIOD < to);
    return { body: { payouts: made.map((start) => payoutDocument(start, earnedIn(start), shop)) } };
  }

  function listExpected(call: Call): Reply {
    shop.enter(call, 'listExpectedPayouts');
    const start = periodOf(now());
    const amount = earnedIn(start);
    return {
      body: {
        expectedPayouts: [
          {
            partnerMetadata: partner(shop),
            ...(amount > 0 && { amount: currency(amount) }),
            status: amount > 0 ? 'SCHEDULED' : 'NO_PAYOUT_EXPECTED',
            scheduledDate: iso(start + PERIOD),
            accountTail: '4321',
            paymentMethod: 'BANK_ACCOUNT',
            ...settlementOf(start),
          },
        ],
      },
    };
  }

  return {
    'GET /finances/2024-06-19/transactions': listTransactions,
    'GET /finances/2024-06-19/balances': listBalances,
    'GET /finances/transfers/2024-06-01/payouts': listPayouts,
    'GET /finances/transfers/2024-06-01/payouts/expected': listExpected,
  };
}

function relatedOrder({ query }: Call): string | null {
  const name = query.get('relatedIdentifierName');
  if (name !== null && name !== 'ORDER_ID') throw invalid('Only ORDER_ID is known here');
  return name && query.get('relatedIdentifierValue');
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

function related(relatedIdentifierName: string, relatedIdentifierValue: string) {
  return { relatedIdentifierName, relatedIdentifierValue };
}

function payoutDocument(start: number, amount: number, shop: Shop) {
  const made = start + PERIOD;
  const steps = [
    { status: 'STARTED', at: made },
    { status: 'IN_TRANSIT', at: made + DAY / 4 },
    { status: 'PAID', at: made + 2 * DAY },
  ].filter(({ at }, index) => index === 0 || at <= shop.now());
  const history = amount > 0 ? steps : [{ status: 'NO_PAYOUT', at: made }];
  return {
    id: String(Math.floor(made / 1_000)),
    partnerMetadata: partner(shop),
    currentStatus: history.at(-1)?.status,
    statusHistory: history.map(({ status, at }) => ({ status, lastUpdatedDate: iso(at) })),
    ...(amount > 0 && {
      type: 'SCHEDULED',
      amount: currency(amount),
      traceId: `TG${made / DAY}MX`,
    }),
    accountTail: '4321',
    paymentMethod: 'BANK_ACCOUNT',
    creationDate: iso(made),
    ...settlementOf(start),
  };
}

/** The same of a period's payout, expected and made. */
function settlementOf(start: number) {
  return {
    period: { startDate: iso(start), endDate: iso(start + PERIOD) },
    relatedIdentifiers: [related('SETTLEMENT_ID', String(Math.floor((start + PERIOD) / 1_000)))],
  };
}

function partner({ sellerId }: Shop) {
  return { partnerId: sellerId, accountType: 'Standard Orders', marketplaceId: MEXICO };
}

function periodOf(at: number): number {
  return Math.floor(at / PERIOD) * PERIOD;
}

function currency(amount: number) {
  return { currencyAmount: rawNumber(decimal(amount)), currencyCode: 'MXN' };
}

/** In the marketplace's own zone. */
function local(at: number): string {
  return new Date(at - 6 * 60 * MINUTE).toISOString().replace(/\.\d+Z$/, '-06:00');
}
