import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { isWithheldPeriod, listWithheldLines } from '../../../features/findings/index.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';

const PERIOD_FAULT =
  'debe ser un mes, como 2026-10, o el primero y el último de varios, como 2026-10/2026-12.';
const Line = z.object({
  account_id: z.string(),
  /** Null = movements without an order. */
  order_id: z.string().nullable(),
  /** How the marketplace calls movements without an order; null = they are of an order. */
  native_type: z.string().nullable(),
  isr: z.number(),
  iva: z.number(),
  unnamed: z.number(),
  total: z.number(),
  /** Of the last movement. */
  last_at: z.string(),
});

/** What a marketplace's sum of a period is made of: a line for each account and order. */
export const listWithheldLinesOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({
    period: z
      .string()
      .refine(isWithheldPeriod, PERIOD_FAULT)
      .meta({ description: 'El periodo, como lo nombra withheld.list.', examples: ['2026-10'] }),
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
    ...pageInput({ usual: 100, most: 100 }),
  }),
  output: z.object({ data: z.array(Line), next_cursor: z.string().nullable() }),
  async run({ scope, cursors, organization }, query) {
    const found = await listWithheldLines(scope, cursors, organization.timezone, query);
    return {
      data: found.lines.map((line) => ({
        account_id: line.account_id,
        order_id: line.order_id || null,
        native_type: line.order_id ? null : line.native_type,
        isr: toAmount(line.isr),
        iva: toAmount(line.iva),
        unnamed: toAmount(line.unnamed),
        total: toAmount(line.total),
        last_at: formatMillis(line.last_at),
      })),
      next_cursor: found.nextCursor,
    };
  },
});
