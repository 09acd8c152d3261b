import type { z } from 'zod';
import type { ReadScope } from '../../platform/db/database.ts';
import {
  fieldsOf,
  type Members,
  membersIn,
  withoutEarnings,
  writerOf,
} from '../../platform/documents.ts';
import { type Described, shape, type View, whole } from '../../platform/fields.ts';
import { parseLossless, rawNumber } from '../../platform/json.ts';
import { listBalances, PURSE, writePurse } from '../balances/index.ts';
import { listUninvoiced, UNINVOICED, writeUninvoiced } from '../cfdi/index.ts';
import { FINDING, listFindings, WITHHELD, WITHHELD_LINE, writeFinding } from '../findings/index.ts';
import type { Scope } from '../keys/index.ts';
import { EXPLAINED_PAYOUT, PAYOUT_LINE } from '../ledger/index.ts';
import {
  EARNINGS,
  ORDER,
  ORDER_SHAPES,
  type OrderPosition,
  type OrderView,
  ordersAfter,
} from '../orders/index.ts';
import { DAY_OF_SALES, everyDayOfSales, writeDayOfSales } from '../sales/index.ts';
import { listShipments, SHIPMENT, writeShipment } from '../shipments/index.ts';
import { pageOfPayoutLines, pageOfPayouts } from './payout-pages.ts';
import { includedSpan, spanOf } from './span.ts';
import type { ExportTerms } from './terms.ts';
import { pageOfWithheld, pageOfWithheldLines } from './withheld-pages.ts';

/** Rows as JSON texts, and where the walk goes on; null = those were the last. */
interface ExportPage {
  readonly rows: readonly string[];
  readonly next: unknown;
}

/** One kind of rows that can be exported. */
export interface Export {
  /** What a row is, as the entrances show it: the columns of a table follow. */
  row(view: OrderView): z.ZodType;
  /** How one row, and several, are called in a sentence. */
  readonly things: readonly [one: string, several: string];
  /** Whether the delta clock moves with every change of a row. */
  readonly isClocked: boolean;
  /** Whose days its rows have; null = they have none. */
  readonly days: 'organization' | 'books' | null;
  /** Whether it can be of one marketplace alone. */
  readonly isByMarketplace: boolean;
  /** The permission of its data. */
  readonly scope: Scope;
  page(scope: ReadScope, position: unknown, terms: ExportTerms): Promise<ExportPage>;
}

/** Short enough that others wait for no page. */
const PAGE = 100;

/** Without a first day the list would look back for a while only. */
const LONG_AGO = Temporal.Instant.fromEpochMilliseconds(0);
/** Cursors of these walks never leave the process. */
const CURSORS = { make: JSON.stringify, open: (text: string): unknown => JSON.parse(text) };

const ITEM = shape('Un artículo de una orden.', {
  marketplace: ORDER.marketplace.field,
  account_id: ORDER.account_id.field,
  order_id: ORDER.id.field,
  order_status: ORDER.status.field,
  date_created: ORDER.date_created.field,
  currency: ORDER.currency.field,
  line: whole('Qué lugar tiene en la orden, desde 1.', 1),
  item: ORDER_SHAPES.DetailItem,
});

/** A schema of names that are data: what is left out is not known to the compiler. */
const DETAIL = ORDER_SHAPES.OrderDetail.type as unknown as z.ZodObject;
const WITHOUT: Record<string, true> & Record<number, never> = Object.fromEntries(
  EARNINGS.map((name) => [name, true]),
) as Record<string, true> & Record<number, never>;

const SHIPMENT_WITHOUT_COST = withoutEarnings(SHIPMENT);
const writeWithoutCost = writerOf(SHIPMENT_WITHOUT_COST);

/** All of them by their name; one more is one more row here. */
export const EXPORTS = {
  orders: {
    row: (view) => (view === 'whole' ? DETAIL : DETAIL.omit(WITHOUT)),
    things: ['orden', 'órdenes'],
    isClocked: true,
    days: 'organization',
    isByMarketplace: true,
    scope: 'orders:read',
    page: (scope, position, terms) => pageOfOrders(scope, position, terms, (json) => [json]),
  },
  items: {
    row: () => ITEM.type,
    things: ['artículo', 'artículos'],
    isClocked: true,
    days: 'organization',
    isByMarketplace: true,
    scope: 'orders:read',
    page: (scope, position, terms) => pageOfOrders(scope, position, terms, itemsOf),
  },
  sales: {
    row: () => rowOf(DAY_OF_SALES, 'detail'),
    things: ['día de venta', 'días de venta'],
    isClocked: false,
    days: 'books',
    isByMarketplace: false,
    scope: 'sales:read',
    async page(scope, _place, terms) {
      const days = await everyDayOfSales(scope, terms);
      return { rows: days.map((day) => writeDayOfSales(day, 'detail')), next: null };
    },
  },
  balances: {
    row: () => rowOf(PURSE, 'list'),
    things: ['saldo', 'saldos'],
    isClocked: false,
    days: null,
    isByMarketplace: false,
    scope: 'balances:read',
    async page(scope) {
      const { balances } = await listBalances(scope);
      return { rows: balances.map((balance) => writePurse(balance, 'list')), next: null };
    },
  },
  shipments: {
    row: (view) => rowOf(view === 'whole' ? SHIPMENT : SHIPMENT_WITHOUT_COST, 'detail'),
    things: ['envío', 'envíos'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: false,
    scope: 'shipments:read',
    page: pageOfShipments,
  },
  payouts: {
    row: () => rowOf(EXPLAINED_PAYOUT, 'detail'),
    things: ['pago', 'pagos'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: true,
    scope: 'balances:read',
    page: pageOfPayouts,
  },
  payout_lines: {
    row: () => rowOf(PAYOUT_LINE, 'list'),
    things: ['concepto de pago', 'conceptos de pago'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: true,
    scope: 'balances:read',
    page: pageOfPayoutLines,
  },
  findings: {
    row: () => rowOf(FINDING, 'detail'),
    things: ['hallazgo', 'hallazgos'],
    isClocked: false,
    days: null,
    isByMarketplace: true,
    scope: 'balances:read',
    page: pageOfFindings,
  },
  withheld: {
    row: () => rowOf(WITHHELD, 'detail'),
    things: ['periodo', 'periodos'],
    isClocked: false,
    days: null,
    isByMarketplace: false,
    scope: 'balances:read',
    page: pageOfWithheld,
  },
  withheld_lines: {
    row: () => rowOf(WITHHELD_LINE, 'detail'),
    things: ['retención', 'retenciones'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: true,
    scope: 'balances:read',
    page: pageOfWithheldLines,
  },
  uninvoiced: {
    row: () => rowOf(UNINVOICED, 'detail'),
    things: ['orden sin CFDI', 'órdenes sin CFDI'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: true,
    scope: 'cfdi:read',
    page: (scope, cursor, terms) => pageOfUninvoiced(scope, 'pending', cursor, terms),
  },
  global_invoice: {
    row: () => rowOf(UNINVOICED, 'detail'),
    things: ['orden para la factura global', 'órdenes para la factura global'],
    isClocked: false,
    days: 'organization',
    isByMarketplace: true,
    scope: 'cfdi:read',
    page: (scope, cursor, terms) => pageOfUninvoiced(scope, 'public', cursor, terms),
  },
} satisfies Record<string, Export>;

export type Exported = keyof typeof EXPORTS;

/** How so many rows are called: «orden», «órdenes». */
export function thingsIn(what: Exported, rows: number): string {
  const [one, several] = EXPORTS[what].things;
  return rows === 1 ? one : several;
}

function rowOf<Of>(members: Members<Of>, view: View): z.ZodType {
  const shown: Readonly<Record<string, Described>> = fieldsOf(membersIn(view, members));
  return shape('', shown).type;
}

async function pageOfOrders(
  scope: ReadScope,
  position: unknown,
  terms: ExportTerms,
  rowsOf: (json: string) => readonly string[],
): Promise<ExportPage> {
  const [begin, end] = await spanOf(scope, terms);
  const after = position as OrderPosition | null;
  const { marketplace } = terms;
  const orders = await ordersAfter(scope, after, { begin, end, marketplace }, PAGE, terms.view);
  const last = orders.length === PAGE ? orders.at(-1) : undefined;
  return { rows: orders.flatMap(({ json }) => rowsOf(json)), next: last?.position ?? null };
}

function itemsOf(json: string): string[] {
  const order = parseLossless(json) as Record<string, unknown> & { items: readonly object[] };
  const { marketplace, account_id, id, status, date_created, currency } = order;
  return order.items.map((item, at) =>
    JSON.stringify({
      marketplace,
      account_id,
      order_id: id,
      order_status: status,
      date_created,
      currency,
      line: rawNumber(String(at + 1)),
      item,
    }),
  );
}

async function pageOfFindings(
  scope: ReadScope,
  cursor: unknown,
  { marketplace }: ExportTerms,
): Promise<ExportPage> {
  const { findings, nextCursor } = await listFindings(scope, CURSORS, {
    state: null,
    kind: null,
    marketplace,
    limit: PAGE,
    cursor: cursor as string | null,
  });
  return { rows: findings.map((one) => writeFinding(one, 'detail')), next: nextCursor };
}

async function pageOfShipments(
  scope: ReadScope,
  cursor: unknown,
  terms: ExportTerms,
): Promise<ExportPage> {
  const { shipments, nextCursor } = await listShipments(scope, CURSORS, {
    carrier: null,
    category: [],
    trackingNumber: null,
    orderId: null,
    ...(await includedSpan(scope, terms)),
    limit: PAGE,
    cursor: cursor as string | null,
    withEvents: true,
  });
  const write = terms.view === 'whole' ? writeShipment : writeWithoutCost;
  return { rows: shipments.map((one) => write(one, 'detail')), next: nextCursor };
}

async function pageOfUninvoiced(
  scope: ReadScope,
  kind: 'pending' | 'public',
  cursor: unknown,
  terms: ExportTerms,
): Promise<ExportPage> {
  const [from, end] = await spanOf(scope, terms);
  const { orders, nextCursor } = await listUninvoiced(scope, CURSORS, {
    kind,
    marketplace: terms.marketplace,
    limit: PAGE,
    cursor: cursor as string | null,
    // A cursor has it; that of a former release may have none.
    from: from ?? (cursor === null ? LONG_AGO : null),
    // The filter includes its end.
    to: end?.subtract({ milliseconds: 1 }) ?? null,
  });
  return { rows: orders.map((one) => writeUninvoiced(one, 'detail')), next: nextCursor };
}
