/**
 * The seller's account: what each order moves, payouts every ten days, and the cycles that they
 * close.
 */
import type { Call, Reply, Routes } from '../http.ts';
import { cents, type Order, reachedAt, type State } from '../order.ts';
import { money } from './documents.ts';
import { commercialId, commissionOf, orderIdOf, seconds, totalOf } from './facts.ts';
import { type Room, refuseUnknown, type Shop, seekPage } from './shop.ts';

const CYCLE = 10 * 86_400_000;
const MOST_ROWS = { transactions: 2_000, cycles: 1_000 };
/** What ends the wait: from then on the order's money goes out with the next payout. */
const SETTLING: readonly State[] = ['delivered', 'cancelled', 'refunded'];

interface Movement {
  readonly type: string;
  /** In cents. */
  readonly amount: number;
  readonly at: number;
  readonly order: Order | null;
  /** The end of the cycle that pays it; null = not payable yet. */
  readonly cycle: number | null;
}

export function moneyRoutes(room: Room): Routes {
  function listTransactions(call: Call): Reply {
    const shop = room.caller(call);
    refuseUnknown(call, [
      'payment_state',
      'last_updated_from',
      'limit',
      'page_token',
      'sort',
      'order',
    ]);
    const since = Date.parse(call.query.get('last_updated_from') ?? '');
    const states = call.query.get('payment_state')?.split(',');
    const rows = transactionsOf(shop, room.now());
    const wanted = rows.filter(
      ({ payment_state, last_updated }) =>
        (states?.includes(payment_state) ?? true) && !(Date.parse(last_updated) < since),
    );
    return { body: seekPage(call, wanted, Math.min(MOST_ROWS.transactions, room.mostSought)) };
  }

  function listCycles(call: Call): Reply {
    const shop = room.caller(call);
    refuseUnknown(call, ['limit', 'page_token']);
    return {
      body: seekPage(call, cyclesOf(shop, room.now()), Math.min(MOST_ROWS.cycles, room.mostSought)),
    };
  }

  return {
    'GET /api/sellerpayment/transactions_logs': listTransactions,
    'GET /api/seller-billing-cycles': listCycles,
  };
}

/** Newest first. Rows of one moment have one time; only their balance says which came last. */
function transactionsOf(shop: Shop, now: number) {
  const movements = movementsOf(shop, now);
  const payouts = endsOf(movements, now).map((end) => payout(movements, end));
  let balance = 0;
  return [...movements, ...payouts]
    .sort((a, b) => a.at - b.at)
    .map((movement) => {
      balance += movement.amount;
      return transactionDocument(shop, movement, { balance, now });
    })
    .reverse();
}

function movementsOf({ world }: Shop, now: number): Movement[] {
  return world.orders().flatMap((order) => {
    const paid = reachedAt(order, 'paid', now);
    if (paid === null) return [];
    const settled = order.steps.find(
      ({ state, at }) => SETTLING.includes(state) && at >= paid && at <= now,
    )?.at;
    const given = (type: string, amount: number, at: number): Movement => ({
      type,
      amount,
      at,
      order,
      // Given back after the payout, it is taken off a later one.
      cycle: settled === undefined ? null : Math.ceil(Math.max(settled, at) / CYCLE) * CYCLE,
    });
    const total = totalOf(order);
    const { fee, tax } = commissionOf(cents(order.total) - cents(order.coupon));
    const earned = [
      given('ORDER_AMOUNT', total, paid),
      given('COMMISSION_FEE', -fee, paid),
      given('COMMISSION_VAT', -tax, paid),
    ];
    const back = reachedAt(order, 'refunded', now) ?? reachedAt(order, 'cancelled', now);
    if (back === null) return earned;
    return [
      ...earned,
      given('REFUND_ORDER_AMOUNT', -total, back),
      given('REFUND_COMMISSION_FEE', fee, back),
      given('REFUND_COMMISSION_VAT', tax, back),
    ];
  });
}

function endsOf(movements: readonly Movement[], now: number): number[] {
  const ends = new Set(
    movements.map(({ cycle }) => cycle).filter((end) => end !== null && end <= now),
  );
  return [...ends].filter((end) => end !== null).sort((a, b) => a - b);
}

function payout(movements: readonly Movement[], end: number): Movement {
  return {
    type: 'PAYMENT',
    amount: -sumOf(movements, end, () => true),
    at: end,
    order: null,
    cycle: end,
  };
}

function sumOf(
  movements: readonly Movement[],
  end: number,
  fits: (movement: Movement) => boolean,
): number {
  return movements
    .filter((movement) => movement.cycle === end && fits(movement))
    .reduce((sum, { amount }) => sum + amount, 0);
}

function transactionDocument(
  { id, name }: Shop,
  { type, amount, at, order, cycle }: Movement,
  { balance, now }: { balance: number; now: number },
) {
  const isPaid = cycle !== null && cycle <= now;
  return {
    accounting_document_number: isPaid ? `C${cycle}` : null,
    amount: money(amount),
    amount_credited: money(Math.max(0, amount)),
    amount_debited: money(Math.max(0, -amount)),
    balance: money(balance),
    currency_iso_code: 'MXN',
    date_created: new Date(at).toISOString(),
    entities: order ? { order: { commercial_id: commercialId(order), id: orderIdOf(order) } } : {},
    id: `movimiento-${order ? orderIdOf(order) : cycle}-${type}`,
    last_updated: new Date(isPaid ? cycle : at).toISOString(),
    payment_state: isPaid ? 'PAID' : cycle === null ? 'PENDING' : 'PAYABLE',
    seller_billing_cycle_id: isPaid ? cycleId(id, cycle) : null,
    shop: { id, model: 'MARKETPLACE', operator_internal_id: name },
    type,
  };
}

function cyclesOf(shop: Shop, now: number) {
  const movements = movementsOf(shop, now);
  return endsOf(movements, now).map((end, index, ends) => ({
    amount_transferred_to_operator: money(
      -sumOf(movements, end, ({ type }) => type.includes('COMMISSION')),
    ),
    amount_transferred_to_seller: money(sumOf(movements, end, () => true)),
    currency_iso_code: 'MXN',
    date_created: seconds(end),
    id: cycleId(shop.id, end),
    // The last one is still to be paid, and one in five could not be.
    pay_out: payoutOf(index === ends.length - 1, index % 5 === 3, end),
    shop: { shop_id: shop.id, shop_name: shop.name },
    summary: {
      total_payable_orders_incl_tax: money(
        sumOf(movements, end, ({ type }) => type === 'ORDER_AMOUNT'),
      ),
      total_refund_orders_incl_tax: money(
        sumOf(movements, end, ({ type }) => type === 'REFUND_ORDER_AMOUNT'),
      ),
    },
  }));
}

function payoutOf(isLast: boolean, isFailed: boolean, end: number) {
  if (isLast) return { state: 'TO_PAY' };
  return isFailed ? { state: 'FAILED' } : { reference: `SPEI-${end / CYCLE}`, state: 'PAID' };
}

function cycleId(shop: number, end: number): string {
  return `ciclo-${shop}-${end / CYCLE}`;
}
