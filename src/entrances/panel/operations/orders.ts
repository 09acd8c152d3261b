import { z } from 'zod';
import { MARKETPLACES, OPEN_TAGS } from '../../../connectors/contract.ts';
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
import { fail } from '../../../platform/failure.ts';
import { schemaOf } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import type { PageQuery } from '../../../platform/walk-cursor.ts';
import { FullOrder, type SeenOrder, viewOf } from '../../order-schemas.ts';
import { defineRead } from '../operation.ts';

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
  output: z.object({ data: FullOrder as unknown as z.ZodType<SeenOrder> }),
  async run({ scope, role }, which) {
    // PostgreSQL's text has no NUL, so no order has one.
    if (which.id.includes('\0')) throw fail('order_not_found');
    return { written: `{"data":${await getOrder(scope, which, viewOf({ role }))}}` };
  },
});

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
