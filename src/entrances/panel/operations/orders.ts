import { z } from 'zod';
import { MARKETPLACES, MOVEMENT_KINDS, OPEN_TAGS } from '../../../connectors/contract.ts';
import { sumsOfOrder } from '../../../features/ledger/index.ts';
import {
  countOpen,
  getOrder,
  isSearch,
  listOrders,
  NAMESAKE_FILTERS,
  ORDER_FILTERS,
  ORDER_SHAPES,
  type OrderQuery,
  openTagsOf,
  orderWords,
  SEARCH_FILTERS,
  type SearchFilters,
  searchOrders,
} from '../../../features/orders/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { fail } from '../../../platform/failure.ts';
import { schemaOf } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import type { PageQuery } from '../../../platform/walk-cursor.ts';
import { FullOrder, type SeenOrder, viewOf } from '../../order-schemas.ts';
import { defineRead, toAmount } from '../operation.ts';

const LONGEST_ID = 500;

const { updated_since: _, ...FILTERS } = ORDER_FILTERS;

export const listOrdersOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...FILTERS, ...SEARCH_FILTERS }),
  output: z.object({
    data: z.array(schemaOf(ORDER_SHAPES.Order)),
    /** What is open of these orders after the sale: a row for each of their tags. */
    open: z.array(
      z.object({
        marketplace: z.enum(MARKETPLACES),
        account_id: z.string(),
        id: z.string(),
        tag: z.enum(OPEN_TAGS),
      }),
    ),
    next_cursor: z.string().nullable(),
    as_of: z.string(),
    /** A search that matches too much: some orders may be missing. */
    is_cut: z.boolean(),
    /** False while older orders cannot be searched for yet. */
    is_complete: z.boolean(),
  }),
  async run({ scope, cursors, delta }, query) {
    const clock = query.cursor === null ? delta : null;
    const page = isSearch(query)
      ? await searchOrders(scope, cursors, query, clock)
      : await listOrders(scope, cursors, listed(query), clock);
    const { isCut, isComplete } = { isCut: false, isComplete: true, ...page };
    const open = JSON.stringify(await openTagsOf(scope, page));
    const cursor = JSON.stringify(page.nextCursor);
    return {
      written:
        `{"data":${page.json},"open":${open},"next_cursor":${cursor},"as_of":"${page.asOf.text}",` +
        `"is_cut":${isCut},"is_complete":${isComplete}}`,
    };
  },
});

/** What the filters of payment and fulfilment offer: the words that orders have. */
export const orderWordsOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({}),
  output: z.object({ payment: z.array(z.string()), fulfillment: z.array(z.string()) }),
  run: ({ scope }) => orderWords(scope),
});

const MOST_COUNTED = 1_000;

/** The orders with an open return or claim, counted up to a limit. */
export const countOpenOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({}),
  output: z.object({ count: z.int(), has_more: z.boolean() }),
  async run({ scope }) {
    const { count, hasMore } = await countOpen(scope, MOST_COUNTED);
    return { count, has_more: hasMore };
  },
});

export const getOrderOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({
    id: z
      .string()
      .min(1)
      .max(LONGEST_ID)
      .meta({ description: 'La orden.', examples: ['2000009876543210'] }),
    ...NAMESAKE_FILTERS,
  }),
  output: z.object({
    data: FullOrder as unknown as z.ZodType<SeenOrder>,
    /** What the ledger has of it; null = nothing, or the role does not see it. */
    ledger: z
      .object({
        sums: z.array(z.object({ kind: z.enum(MOVEMENT_KINDS), amount: z.number() })),
        /** The sale with its shipping; null = none yet. */
        sold: z.number().nullable(),
        net: z.number(),
      })
      .nullable(),
  }),
  async run({ scope, role }, which) {
    // PostgreSQL's text has no NUL, so no order has one.
    if (which.id.includes('\0')) throw fail('order_not_found');
    const view = viewOf({ role });
    const order = await getOrder(scope, which, view);
    const ledger = view === 'whole' ? await ledgerOf(scope, order) : null;
    return { written: `{"data":${order},"ledger":${JSON.stringify(ledger)}}` };
  },
});

async function ledgerOf(scope: ReadScope, order: string) {
  const { id, marketplace, account_id: accountId, currency } = JSON.parse(order) as SeenOrder;
  const found = await sumsOfOrder(scope, { id, marketplace, accountId, currency });
  if (!found) return null;
  const sums = found.sums.map(({ kind, amount }) => ({ kind, amount: toAmount(amount) }));
  return { sums, sold: toAmount(found.sold), net: toAmount(found.net) };
}

/** Without the conditions of a search, which none of them is. */
function listed({
  search: _search,
  paymentStatus: _payment,
  fulfillmentStatus: _fulfillment,
  tag: _tag,
  ...query
}: SearchFilters & PageQuery): OrderQuery {
  return { ...query, updatedSince: null, list: 'panel' };
}
