import { z } from 'zod';
import { MARKETPLACES, type Marketplace, ORDER_STATUSES } from '../../connectors/contract.ts';
import { findConnector } from '../../connectors/registry.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { membersOf, writerOf } from '../../platform/documents.ts';
import { amount, orNull, text, time, whole, word } from '../../platform/fields.ts';
import { choice, type GivenBy, instant } from '../../platform/input-fields.ts';
import { add, ZERO } from '../../platform/money.ts';
import { type PageQuery, type RowWalk, readPage } from '../../platform/walk-cursor.ts';
import { listConnections } from '../connections/index.ts';
import * as store from './store-uninvoiced.ts';

/** Older sales are not looked at unless they are asked for. */
const LOOK_BACK_DAYS = 400;

export const UNINVOICED_FILTERS = {
  kind: z
    .enum(store.UNINVOICED_KINDS)
    .default('pending')
    .meta({
      description:
        '`pending` = sin CFDI; `public` = sin CFDI a nombre de su comprador, las de una factura global incluidas.',
      examples: ['pending'],
    }),
  from: instant(
    `Vendidas en este instante o después; sin él, desde hace ${LOOK_BACK_DAYS} días.`,
    '2026-10-01T06:00:00Z',
  ),
  to: instant('Vendidas en este instante o antes.', '2026-11-01T05:59:59.999Z'),
  marketplace: choice(MARKETPLACES, 'Solo de este marketplace.', MARKETPLACES[0]),
};
type UninvoicedFilters = GivenBy<typeof UNINVOICED_FILTERS>;
export type UninvoicedOrder = store.UninvoicedOrder;
export type UninvoicedSum = store.UninvoicedSum;

/**
 * Sold orders without an invoice, the newest first; with `kind: 'public'` those for the global
 * invoice. Test orders are left out, and copies of another connected marketplace's orders.
 * @throws Failure invalid_cursor
 */
export async function listUninvoiced(
  scope: ReadScope,
  cursors: CursorMaker,
  query: UninvoicedFilters & PageQuery,
): Promise<{ readonly orders: readonly UninvoicedOrder[]; readonly nextCursor: string | null }> {
  const leftOut = await tagsLeftOut(scope);
  const { rows, nextCursor } = await readPage(WALK, scope, cursors, query, (request) =>
    store.page(scope, termsOf(scope, request, leftOut), request.after, request.limit),
  );
  return { orders: rows, nextCursor };
}

/**
 * The same orders, counted and added up by month, marketplace and currency; the newest month first.
 * @param timezone of the months
 */
export async function uninvoicedSums(
  scope: ReadScope,
  filters: UninvoicedFilters,
  timezone: string,
): Promise<UninvoicedSum[]> {
  return store.sums(scope, termsOf(scope, filters, await tagsLeftOut(scope)), timezone);
}

const order = membersOf<UninvoicedOrder>();

/** Every public field of an order without an invoice. */
export const UNINVOICED = {
  marketplace: order.brief('marketplace', word(MARKETPLACES, 'Dónde se vendió.', MARKETPLACES[0])),
  account_id: order.brief('account_id', text('La cuenta del marketplace.', '468424241')),
  order_id: order.brief('order_id', text('La orden.', '2000009876543210')),
  status: order.brief('status', word(ORDER_STATUSES, 'Estado de la orden.', 'delivered')),
  date_created: order.brief('date_created', time('Cuándo se vendió.', '2026-10-16T18:00:00.000Z')),
  total: order.brief('total', amount('Total de la orden.', 279.9)),
  tax_total: order.brief(
    'tax_total',
    orNull(amount('Sus impuestos según el marketplace; null si no los informa.', 38.61)),
  ),
  currency: order.brief('currency', text('Moneda.', 'MXN')),
  global_uuid: order.brief(
    'global_uuid',
    orNull(
      text(
        'Folio fiscal de la factura global que la incluye; null si ninguna.',
        '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73',
      ),
    ),
  ),
};

export const writeUninvoiced = writerOf(UNINVOICED);

const sum = membersOf<UninvoicedSum>();

/** Every public field of a sum of such orders. */
export const UNINVOICED_SUM = {
  month: sum.brief('month', text('El mes, en la zona horaria de tu organización.', '2026-10')),
  marketplace: sum.brief('marketplace', word(MARKETPLACES, 'El marketplace.', MARKETPLACES[0])),
  currency: sum.brief('currency', text('Moneda.', 'MXN')),
  orders: sum.brief('orders', whole('Cuántas órdenes.', 12)),
  total: sum.brief('total', amount('Lo que suman.', 3358.8)),
};

export const writeUninvoicedSum = writerOf(UNINVOICED_SUM);

type UninvoicedTotal = Pick<UninvoicedSum, 'currency' | 'orders' | 'total'>;

/** What all of these sums come to, each currency apart. */
export function uninvoicedTotals(sums: readonly UninvoicedSum[]): UninvoicedTotal[] {
  const currencies = [...new Set(sums.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const own = sums.filter((one) => one.currency === currency);
    return {
      currency,
      orders: own.reduce((count, { orders }) => count + orders, 0),
      total: own.reduce((sum, one) => add(sum, one.total), ZERO),
    };
  });
}

const total = membersOf<UninvoicedTotal>();

export const UNINVOICED_TOTAL = {
  currency: total.brief('currency', text('Moneda.', 'MXN')),
  orders: total.brief('orders', whole('Cuántas órdenes.', 12)),
  total: total.brief('total', amount('Lo que suman.', 3358.8)),
};

export const writeUninvoicedTotal = writerOf(UNINVOICED_TOTAL);

function termsOf(
  scope: ReadScope,
  { kind, from, to, marketplace, ...unread }: UninvoicedFilters,
  leftOut: readonly string[],
): store.UninvoicedTerms {
  // A filter without a condition does not compile.
  unread satisfies Readonly<Record<string, never>>;
  const earliest = from ?? scope.clock.now().subtract({ hours: 24 * LOOK_BACK_DAYS });
  return { kind, from: earliest, to, marketplace, leftOut };
}

/** Tags of orders that are copies of those of a connected marketplace, as they are in documents. */
export async function tagsLeftOut(scope: ReadScope): Promise<string[]> {
  const connected = new Set<string>((await listConnections(scope)).map(({ service }) => service));
  return MARKETPLACES.flatMap((slug: Marketplace) =>
    Object.entries(findConnector(slug)?.facts.copiedFrom ?? {}).flatMap(([tag, origin]) =>
      connected.has(origin) ? [JSON.stringify(tag)] : [],
    ),
  );
}

const WALK: RowWalk<UninvoicedFilters, UninvoicedOrder, store.UninvoicedPosition> = {
  kind: 'uninvoiced',
  instants: { from: true, to: true },
  positionOf: ({ newest_first, marketplace, account_id, order_id }) => [
    newest_first,
    marketplace,
    account_id,
    order_id,
  ],
};
