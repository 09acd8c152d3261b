/** Mercado Pago has no balance that could be asked for: only a report that is ordered and comes later. */
import type { Call, Reply, Routes } from '../http.ts';
import { cents, decimal, type Order, reachedAt } from '../order.ts';
import { paymentId } from './documents.ts';
import { firstOfCart, hasPack, time } from './facts.ts';
import { packId, refusalReply, refuse, type Seller, type Shop } from './shop.ts';

interface Report {
  readonly id: number;
  readonly seller: Seller;
  readonly begin: number;
  readonly end: number;
  readonly created: number;
}

const LONGEST = 60 * 86_400_000;
const OPENING_BALANCE = '12500.00';
const FEE_SHARE = 0.13;

export function mercadoPagoRoutes(shop: Shop): Routes {
  const configs = new Map<number, Record<string, unknown>>();
  const reports: Report[] = [];

  function configure(status: number): (call: Call) => Reply {
    return (call) => {
      const seller = shop.caller(call);
      const config = { ...defaultConfig(seller), ...(jsonOf(call) as Record<string, unknown>) };
      configs.set(seller.id, config);
      return { status, body: config };
    };
  }

  function create(call: Call): Reply {
    const seller = shop.caller(call);
    const { begin_date, end_date } = jsonOf(call) as { begin_date?: string; end_date?: string };
    const [begin, end] = [Date.parse(begin_date ?? ''), Date.parse(end_date ?? '')];
    if (!(begin < end) || end - begin > LONGEST) throw refuse(400, 'bad_request', 'Invalid date range');
    const report = { id: 5_000_000 + reports.length, seller, begin, end, created: shop.now() };
    reports.push(report);
    return { status: 202, body: { ...listed(report), file_name: null } };
  }

  /** A report is in the list at once; its file_name comes late. */
  function listed({ id, seller, begin, end, created }: Report) {
    const ready = shop.now() >= created + shop.switches.reportSeconds * 1_000;
    return {
      id,
      user_id: seller.id,
      begin_date: new Date(begin).toISOString(),
      end_date: new Date(end).toISOString(),
      file_name: ready ? `release-report-${seller.id}-${id}.csv` : null,
      created_from: 'manual',
      date_created: time(created, -4),
    };
  }

  function download(call: Call): Reply {
    const seller = shop.caller(call);
    const report = reports.find((one) => one.seller === seller && listed(one).file_name === call.params.file);
    if (!report) throw refuse(404, 'not_found', 'File not found');
    const { separator } = { ...defaultConfig(seller), ...configs.get(seller.id) };
    const text = rowsOf(report, shop.now())
      .map((row) => row.join(String(separator)))
      .join('\n');
    return { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: `${text}\n` };
  }

  return {
    'GET /users/:id/mercadopago_account/balance': (call) => {
      shop.caller(call);
      throw refuse(403, 'forbidden', 'The caller is not authorized to access this resource');
    },
    'GET /v1/account/balance': () => refusalReply(404, 'not_found', 'resource not found'),
    'GET /v1/account/release_report/config': (call) => {
      const seller = shop.caller(call);
      return { body: configs.get(seller.id) ?? defaultConfig(seller) };
    },
    'POST /v1/account/release_report/config': configure(201),
    'PUT /v1/account/release_report/config': configure(200),
    'POST /v1/account/release_report': create,
    'GET /v1/account/release_report/list': (call) => {
      const seller = shop.caller(call);
      return { body: reports.filter((one) => one.seller === seller).map(listed) };
    },
    'GET /v1/account/release_report/:file': download,
  };
}

function jsonOf(call: Call): unknown {
  try {
    return call.json() ?? {};
  } catch {
    throw refuse(400, 'bad_request', 'Malformed JSON');
  }
}

function defaultConfig({ id }: Seller): Record<string, unknown> {
  return {
    file_name_prefix: `release-report-${id}`,
    include_withdrawal_at_end: true,
    scheduled: false,
    execute_after_withdrawal: false,
    separator: ';',
    display_timezone: 'GMT-04',
    frequency: { hour: 0, type: 'monthly', value: 1 },
    columns: COLUMNS.map((key) => ({ key })),
  };
}

const COLUMNS = [
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

/** The money of an order is released when it is delivered. The last row sums up: it is not a movement. */
function rowsOf({ seller, begin, end }: Report, now: number): string[][] {
  const releases = seller.world
    .orders()
    .map((order) => ({ order, at: reachedAt(order, 'delivered', now) ?? Number.NaN }))
    .filter(({ at }) => at >= begin && at < end)
    .sort((a, b) => a.at - b.at);
  const credit = releases.reduce((sum, { order }) => sum + netOf(order), cents(OPENING_BALANCE));
  return [
    COLUMNS,
    row({
      DATE: time(begin, -4),
      RECORD_TYPE: 'initial_available_balance',
      NET_CREDIT_AMOUNT: OPENING_BALANCE,
      GROSS_AMOUNT: OPENING_BALANCE,
    }),
    ...releases.map(({ order, at }) => row(releaseOf(order, at, seller))),
    row({
      DATE: time(end, -4),
      RECORD_TYPE: 'total',
      NET_CREDIT_AMOUNT: decimal(credit),
      GROSS_AMOUNT: decimal(credit),
    }),
  ];
}

function releaseOf(order: Order, at: number, seller: Seller): Record<string, string> {
  return {
    DATE: time(at, -4),
    SOURCE_ID: String(paymentId(order)),
    EXTERNAL_REFERENCE: order.id,
    RECORD_TYPE: 'release',
    DESCRIPTION: 'payment',
    NET_CREDIT_AMOUNT: decimal(netOf(order)),
    GROSS_AMOUNT: order.total,
    MP_FEE_AMOUNT: decimal(netOf(order) - cents(order.total)),
    PAYMENT_METHOD: 'account_money',
    ORDER_ID: order.id,
    PACK_ID: hasPack(order, seller) ? packId(firstOfCart(order, seller), seller) : '',
  };
}

function netOf(order: Order): number {
  return cents(order.total) - Math.round(cents(order.total) * FEE_SHARE);
}

const BLANK: Readonly<Record<string, string>> = Object.fromEntries(
  COLUMNS.map((column) => [
    column,
    column.endsWith('_AMOUNT') ? '0.00' : column === 'INSTALLMENTS' ? '1' : '',
  ]),
);

function row(values: Readonly<Record<string, string>>): string[] {
  return COLUMNS.map((column) => values[column] ?? BLANK[column] ?? '');
}
