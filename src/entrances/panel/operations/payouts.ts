import { z } from 'zod';
import { MARKETPLACES, MOVEMENT_KINDS } from '../../../connectors/contract.ts';
import { describePayout } from '../../../features/ledger/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';
import { named } from './named-field.ts';

const amount = z.number();
const Line = z.object({
  /** Null = movements without an order. */
  order_id: z.string().nullable(),
  /** How the marketplace calls movements without an order; null = they are of an order. */
  native_type: z.string().nullable(),
  /** What these movements are; null = they are of an order, or of several kinds. */
  kind: z.enum(MOVEMENT_KINDS).nullable(),
  sold: amount,
  refunded: amount,
  fees: amount,
  withheld: amount,
  other: amount,
  net: amount,
});

/** What one payout is made of: its sums by kind, and a line for each order. */
export const getPayoutOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
    account_id: named('La cuenta.', '468424241'),
    id: named('El pago en el marketplace.', '123456789'),
    ...pageInput({ usual: 100, most: 100 }),
  }),
  output: z.object({
    payout: z.object({
      status: z.string(),
      currency: z.string(),
      net: amount,
      /** The cut that it pays; null = the marketplace does not tell it. */
      period_from: z.string().nullable(),
      period_to: z.string().nullable(),
      paid_at: z.string().nullable(),
      reference: z.string().nullable(),
    }),
    sums: z.array(z.object({ kind: z.string(), amount })),
    /** What the balance held before; null = the payout does not draw on a balance. */
    carried: amount.nullable(),
    left: amount.nullable(),
    /** What the movements do not explain; null = they are not known. */
    difference: amount.nullable(),
    data: z.array(Line),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors }, query) {
    const found = await describePayout(scope, cursors, query);
    if (!found) throw fail('not_found');
    const { payout, sums, carried, left, difference, lines, nextCursor } = found;
    return {
      payout: {
        status: payout.status,
        currency: payout.currency,
        net: toAmount(payout.net),
        period_from: payout.from && formatMillis(payout.from),
        period_to: payout.to && formatMillis(payout.to),
        paid_at: payout.paidAt && formatMillis(payout.paidAt),
        reference: payout.reference,
      },
      sums: sums.map((sum) => ({ kind: sum.kind, amount: toAmount(sum.amount) })),
      carried: carried && toAmount(carried),
      left: left && toAmount(left),
      difference: difference && toAmount(difference),
      data: lines.map((line) => ({
        order_id: line.order_id || null,
        native_type: line.order_id ? null : line.native_type,
        kind: line.kind,
        sold: toAmount(line.sold),
        refunded: toAmount(line.refunded),
        fees: toAmount(line.fees),
        withheld: toAmount(line.withheld),
        other: toAmount(line.other),
        net: toAmount(line.net),
      })),
      next_cursor: nextCursor,
    };
  },
});
