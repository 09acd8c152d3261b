import { z } from 'zod';
import {
  emptyPage,
  getOrder,
  listOrders,
  NAMESAKE_FILTERS,
  ORDER_FILTERS,
  ORDER_SHAPES,
} from '../../../features/orders/index.ts';
import { fail } from '../../../platform/failure.ts';
import { schemaOf } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { FullOrder, type SeenOrder, viewOf } from '../../order-schemas.ts';
import { defineRead } from '../operation.ts';

const LONGEST_ID = 500;

export const listOrdersOperation = defineRead({
  action: 'read_orders',
  capability: null,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...ORDER_FILTERS }),
  output: z.object({
    data: z.array(schemaOf(ORDER_SHAPES.Order)),
    next_cursor: z.string().nullable(),
    as_of: z.string(),
  }),
  async run({ scope, cursors, delta }, query) {
    const clock = query.cursor === null ? delta : null;
    const page =
      emptyPage(clock, query.updatedSince) ??
      (await listOrders(scope, cursors, { ...query, list: 'panel' }, clock));
    const { json, nextCursor, asOf } = page;
    const cursor = JSON.stringify(nextCursor);
    return { written: `{"data":${json},"next_cursor":${cursor},"as_of":"${asOf.text}"}` };
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
