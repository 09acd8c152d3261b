/** The rows of a release report: everything that an account of Mercado Pago gained and lost. */
import { cents, decimal, type Order, reachedAt } from '../order.ts';
import { paymentId } from './documents.ts';
import { firstOfCart, hasPack, time } from './facts.ts';
import { chargesOf } from './payments.ts';
import { packId, type Seller, type Shop } from './shop.ts';

export const COLUMNS = [
  'DATE',
  'SOURCE_ID',
  'EXTERNAL_REFERENCE',
  'RECORD_TYPE',
  'DESCRIPTION',
  'NET_CREDIT_AMOUNT',
  'NET_DEBIT_AMOUNT',
  'GROSS_AMOUNT',
  'MP_FEE_AMOUNT',
  'FINANCING_FEE_AMOUNT',
  'SHIPPING_FEE_AMOUNT',
  'TAXES_AMOUNT',
  'COUPON_AMOUNT',
  'INSTALLMENTS',
  'PAYMENT_METHOD',
  'ORDER_ID',
  'PACK_ID',
];

/** What the account held before the first order of the world. */
const OPENING_BALANCE = '12500.00';
/** Cents. */
const WITHDRAWAL_FEE = 300;

interface Movement {
  readonly at: number;
  /** Cents; what goes out is negative. */
  readonly net: number;
  readonly row: Record<string, string>;
}

interface Span {
  readonly seller: Seller;
  readonly begin: number;
  readonly end: number;
}

/**
 * The first row is what was there before; the last row sums up: neither is a movement.
 * @param columns of the configuration, in its order
 */
export function rowsOf(
  { seller, begin, end }: Span,
  shop: Shop,
  columns: readonly string[],
): string[][] {
  const movements = movementsOf(seller, shop);
  const sumOf = (some: readonly Movement[]) => some.reduce((sum, { net }) => sum + net, 0);
  const opening = cents(OPENING_BALANCE) + sumOf(movements.filter(({ at }) => at < begin));
  const shown = movements.filter(({ at }) => at >= begin && at < end);
  const rows = [
    summary('initial_available_balance', begin, opening),
    ...shown.map(({ net, row }) => ({
      [net < 0 ? 'NET_DEBIT_AMOUNT' : 'NET_CREDIT_AMOUNT']: decimal(Math.abs(net)),
      ...row,
    })),
    summary('total', end, opening + sumOf(shown)),
  ];
  return [
    [...columns],
    ...rows.map((row: Record<string, string>) =>
      columns.map((column) => row[column] ?? BLANK[column] ?? ''),
    ),
  ];
}

function summary(type: string, at: number, sum: number): Record<string, string> {
  const amount = decimal(sum);
  return {
    DATE: time(at, -4),
    RECORD_TYPE: type,
    NET_CREDIT_AMOUNT: amount,
    GROSS_AMOUNT: amount,
  };
}

/** The money of an order is released when it is delivered, and leaves with a withdrawal. */
function movementsOf(seller: Seller, shop: Shop): Movement[] {
  const { withdrawals, movements, lostRows } = shop.switches;
  const shown: Movement[] = movements.map(({ at, net, row }) => ({
    at,
    net: cents(net),
    row: { DATE: time(at, -4), RECORD_TYPE: 'release', ...row },
  }));
  return [
    ...seller.world.orders().flatMap((order) => movementsOfOrder(order, seller, shop)),
    ...withdrawals.flatMap(({ at, amount, back }, index) => {
      const away = withdrawalOf(at, amount, index);
      return back && back.at <= shop.now() ? [away, returnOf(away, back)] : [away];
    }),
    ...shown,
  ]
    .filter(({ row }) => !lostRows.has(`${row.SOURCE_ID} ${row.DESCRIPTION}`))
    .sort((a, b) => a.at - b.at);
}

function withdrawalOf(at: number, amount: string, index: number): Movement {
  const row = {
    DATE: time(at, -4),
    SOURCE_ID: String(8_100_000_000 + index),
    RECORD_TYPE: 'release',
    DESCRIPTION: 'withdrawal',
    GROSS_AMOUNT: decimal(WITHDRAWAL_FEE - cents(amount)),
    MP_FEE_AMOUNT: decimal(-WITHDRAWAL_FEE),
  };
  return { at, net: -cents(amount), row };
}

/** A transfer that is not completed: the money returns on a line of its own. */
function returnOf({ net, row }: Movement, back: { at: number; description: string }): Movement {
  const { GROSS_AMOUNT = '', MP_FEE_AMOUNT = '' } = row;
  const given = {
    ...row,
    DATE: time(back.at, -4),
    DESCRIPTION: back.description,
    GROSS_AMOUNT: decimal(-cents(GROSS_AMOUNT)),
    MP_FEE_AMOUNT: decimal(-cents(MP_FEE_AMOUNT)),
  };
  return { at: back.at, net: -net, row: given };
}

/** Its payment, and what went back to the buyer after that. */
function movementsOfOrder(order: Order, seller: Seller, shop: Shop): Movement[] {
  const now = shop.now();
  const at = reachedAt(order, 'delivered', now);
  if (at === null) return [];
  const payment = movementOf(order, seller, shop, { at, description: 'payment', share: 1 });
  const refunds = order.steps
    .filter((step) => step.at <= now && step.at >= at)
    .flatMap((step) => {
      const isPart = step.state === 'partially_refunded' && step.amount;
      if (!isPart && step.state !== 'refunded') return [];
      const share = isPart ? cents(step.amount ?? '0') / cents(order.total) : 1;
      return [
        movementOf(order, seller, shop, { at: step.at, description: 'refund', share: -share }),
      ];
    });
  return [payment, ...refunds];
}

interface Part {
  readonly at: number;
  readonly description: string;
  /** Of the whole payment; negative = given back. */
  readonly share: number;
}

function movementOf(order: Order, seller: Seller, shop: Shop, part: Part): Movement {
  const { at, description, share } = part;
  const gross = Math.round(cents(order.total) * share);
  const charges = chargesOf(order, shop.switches);
  const fee = -Math.round(charges.fee * share);
  const shipping = -Math.round(charges.shipping * share);
  const taxes = -Math.round(charges.taxes * share);
  const row = {
    DATE: time(at, -4),
    SOURCE_ID: String(paymentId(order)),
    EXTERNAL_REFERENCE: order.id,
    RECORD_TYPE: 'release',
    DESCRIPTION: description,
    GROSS_AMOUNT: decimal(gross),
    MP_FEE_AMOUNT: decimal(fee),
    SHIPPING_FEE_AMOUNT: decimal(shipping),
    TAXES_AMOUNT: decimal(taxes),
    PAYMENT_METHOD: 'account_money',
    ORDER_ID: order.id,
    PACK_ID: hasPack(order, seller) ? packId(firstOfCart(order, seller), seller) : '',
  };
  return { at, net: gross + fee + shipping + taxes, row };
}

const BLANK: Readonly<Record<string, string>> = Object.fromEntries(
  COLUMNS.map((column) => [
    column,
    column.endsWith('_AMOUNT') ? '0.00' : column === 'INSTALLMENTS' ? '1' : '',
  ]),
);
