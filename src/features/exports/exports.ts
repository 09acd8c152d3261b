import type { z } from 'zod';
import type { ReadScope } from '../../platform/db/database.ts';
import { fieldsOf, type Members, membersIn } from '../../platform/documents.ts';
import { type Described, shape, type View, whole } from '../../platform/fields.ts';
import { parseLossless, rawNumber } from '../../platform/json.ts';
import { listBalances, PURSE, writePurse } from '../balances/index.ts';
import { ORDER, ORDER_SHAPES, type OrderPlace, ordersAfter } from '../orders/index.ts';
import { DAY_OF_SALES, everyDayOfSales, writeDayOfSales } from '../sales/index.ts';
import { listShipments, SHIPMENT, writeShipment } from '../shipments/index.ts';

/** Rows as JSON texts, and where the walk goes on; null = those were the last. */
interface ExportPage {
  readonly rows: readonly string[];
  readonly next: unknown;
}

/** One kind of rows that can be exported. */
export interface Export {
  /** What a row is, as the entrances show it: the columns of a table follow. */
  readonly row: z.ZodType;
  /** How rows are called in a sentence: «órdenes». */
  readonly things: string;
  /** Whether the delta clock moves with every change of a row. */
  readonly isClocked: boolean;
  page(scope: ReadScope, place: unknown): Promise<ExportPage>;
}

/** Short enough that others wait for no page. */
const PAGE = 100;

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

/** All of them by their name; one more is one more row here. */
export const EXPORTS = {
  orders: {
    row: ORDER_SHAPES.OrderDetail.type,
    things: 'órdenes',
    isClocked: true,
    page: (scope, place) => pageOfOrders(scope, place, (json) => [json]),
  },
  items: {
    row: ITEM.type,
    things: 'artículos',
    isClocked: true,
    page: (scope, place) => pageOfOrders(scope, place, itemsOf),
  },
  sales: {
    row: rowOf(DAY_OF_SALES, 'detail'),
    things: 'días de venta',
    isClocked: false,
    async page(scope) {
      const days = await everyDayOfSales(scope);
      return { rows: days.map((day) => writeDayOfSales(day, 'detail')), next: null };
    },
  },
  balances: {
    row: rowOf(PURSE, 'list'),
    things: 'saldos',
    isClocked: false,
    async page(scope) {
      const { balances } = await listBalances(scope);
      return { rows: balances.map((balance) => writePurse(balance, 'list')), next: null };
    },
  },
  shipments: {
    row: rowOf(SHIPMENT, 'detail'),
    things: 'envíos',
    isClocked: false,
    page: pageOfShipments,
  },
} satisfies Record<string, Export>;

export type Exported = keyof typeof EXPORTS;

function rowOf<Of>(members: Members<Of>, view: View): z.ZodType {
  const shown: Readonly<Record<string, Described>> = fieldsOf(membersIn(view, members));
  return shape('', shown).type;
}

async function pageOfOrders(
  scope: ReadScope,
  place: unknown,
  rowsOf: (json: string) => readonly string[],
): Promise<ExportPage> {
  const orders = await ordersAfter(scope, place as OrderPlace | null, PAGE);
  const last = orders.length === PAGE ? orders.at(-1) : undefined;
  const next = last
    ? { marketplace: last.marketplace, account_id: last.account_id, id: last.id }
    : null;
  return { rows: orders.flatMap(({ json }) => rowsOf(json)), next };
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

async function pageOfShipments(scope: ReadScope, cursor: unknown): Promise<ExportPage> {
  const { shipments, nextCursor } = await listShipments(scope, CURSORS, {
    carrier: null,
    category: [],
    trackingNumber: null,
    orderId: null,
    from: null,
    to: null,
    limit: PAGE,
    cursor: cursor as string | null,
    withEvents: true,
  });
  return { rows: shipments.map((one) => writeShipment(one, 'detail')), next: nextCursor };
}
