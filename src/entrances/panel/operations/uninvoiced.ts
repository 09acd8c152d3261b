import { z } from 'zod';
import {
  listUninvoiced,
  UNINVOICED,
  UNINVOICED_FILTERS,
  UNINVOICED_SUM,
  UNINVOICED_TOTAL,
  uninvoicedSums,
  uninvoicedTotals,
  writeUninvoiced,
  writeUninvoicedSum,
  writeUninvoicedTotal,
} from '../../../features/cfdi/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { schemaOf, shape } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { defineRead } from '../operation.ts';

const OF_MONEY = { action: 'read_money', capability: null } as const;

/** Sold orders without a CFDI, the newest first. */
export const listUninvoicedOperation = defineRead({
  ...OF_MONEY,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...UNINVOICED_FILTERS }),
  output: z.object({
    data: z.array(schemaOf(shape('Una orden sin CFDI.', fieldsIn('list', UNINVOICED)))),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors }, query) {
    const { orders, nextCursor } = await listUninvoiced(scope, cursors, query);
    const rows = orders.map((one) => writeUninvoiced(one, 'list'));
    return { written: `{"data":[${rows}],"next_cursor":${JSON.stringify(nextCursor)}}` };
  },
});

/** The same, added up by month and marketplace. */
export const sumUninvoicedOperation = defineRead({
  ...OF_MONEY,
  input: inputOf(UNINVOICED_FILTERS),
  output: z.object({
    data: z.array(schemaOf(shape('Un mes.', fieldsIn('list', UNINVOICED_SUM)))),
    /** Of all of `data`, one a currency. */
    totals: z.array(schemaOf(shape('Una moneda.', fieldsIn('list', UNINVOICED_TOTAL)))),
  }),
  async run({ scope, organization }, filters) {
    const sums = await uninvoicedSums(scope, filters, organization.timezone);
    const rows = sums.map((one) => writeUninvoicedSum(one, 'list'));
    const totals = uninvoicedTotals(sums).map((one) => writeUninvoicedTotal(one, 'list'));
    return { written: `{"data":[${rows}],"totals":[${totals}]}` };
  },
});
