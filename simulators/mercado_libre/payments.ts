/** The payments of a seller's orders, and when their money is released. */
import type { Call, Reply } from '../http.ts';
import { cents, decimal, type Order, placedAt, reachedAt, stepAt } from '../order.ts';
import { paymentId } from './documents.ts';
import { cancellation, time } from './facts.ts';
import { refuse, type Seller, type Shop, type Switches } from './shop.ts';

const HELD = 14 * 86_400_000;

const FEE_SHARE = 0.13;
const IVA_SHARE = 0.16;

const PAGE = { usual: 30, most: 100 };
const DEEPEST_OFFSET = 10_000;

export function searchPayments({ query }: Call, seller: Seller, shop: Shop): Reply {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? PAGE.usual), PAGE.most);
  if (offset + limit > DEEPEST_OFFSET) throw refuse(400, 'bad_request', 'Invalid offset');
  const range = query.get('range') ?? 'date_created';
  const [begin, end] = [
    Date.parse(query.get('begin_date') ?? ''),
    Date.parse(query.get('end_date') ?? ''),
  ];
  const sort = query.get('sort') ?? 'date_created';
  const status = query.get('status');
  const found = seller.world
    .orders()
    .filter((order) => reachedAt(order, 'paid', shop.now()) !== null)
    .map((order) => paymentDocument(order, seller, shop))
    .filter((payment) => status === null || payment.status === status)
    .filter((payment) => !(timeIn(payment, range) < begin) && !(timeIn(payment, range) > end))
    .sort((a, b) => timeIn(a, sort) - timeIn(b, sort) || a.id - b.id);
  if (query.get('criteria') === 'desc') found.reverse();
  return {
    body: {
      paging: { total: found.length, limit, offset },
      results: found.slice(offset, offset + limit),
    },
  };
}

function timeIn(payment: object, field: string): number {
  return Date.parse(String((payment as Record<string, unknown>)[field]));
}

/**
 * Money is held until the goods arrive, or for two weeks after the payment where that is still to
 * come.
 */
function paymentDocument(order: Order, seller: Seller, shop: Shop) {
  const now = shop.now();
  const net = netOf(order, shop.switches);
  const paid = reachedAt(order, 'paid', now) as number;
  const delivered = reachedAt(order, 'delivered', now);
  const isBack =
    reachedAt(order, 'refunded', now) !== null || cancellation(order, now) !== undefined;
  const release = delivered ?? Math.max(paid + HELD, now + 86_400_000);
  return {
    id: paymentId(order),
    date_created: time(placedAt(order), -4),
    date_approved: time(paid, -4),
    date_last_updated: time(stepAt(order, now).at, -4),
    money_release_date: time(release, -4),
    money_release_status: delivered === null ? 'pending' : 'released',
    operation_type: 'regular_payment',
    status: isBack ? 'refunded' : 'approved',
    status_detail: isBack ? 'refunded' : 'accredited',
    currency_id: 'MXN',
    collector_id: seller.id,
    external_reference: order.id,
    transaction_amount: Number(order.total),
    transaction_amount_refunded: isBack ? Number(order.total) : 0,
    transaction_details: {
      net_received_amount: Number(decimal(net)),
      total_paid_amount: Number(order.total),
      installment_amount: Number(order.total),
    },
    fee_details: [
      {
        type: 'mercadopago_fee',
        fee_payer: 'collector',
        amount: Number(decimal(cents(order.total) - net)),
      },
    ],
  };
}

/** What Mercado Pago keeps of a payment, in cents. */
export function chargesOf(
  order: Order,
  { sellerShipping, taxRates }: Pick<Switches, 'sellerShipping' | 'taxRates'>,
) {
  const total = cents(order.total);
  const base = total / (1 + IVA_SHARE);
  const tax = (rate: number) => Math.round(base * rate);
  return {
    fee: Math.round(total * FEE_SHARE),
    shipping: cents(sellerShipping),
    taxes: taxRates ? tax(taxRates.isr) + tax(taxRates.iva) : 0,
  };
}

function netOf(order: Order, switches: Switches): number {
  const { fee, shipping, taxes } = chargesOf(order, switches);
  return cents(order.total) - fee - shipping - taxes;
}
