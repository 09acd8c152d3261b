import { z } from 'zod';
import { BOOKS_TIMEZONE, type Figures, salesSummary } from '../../../features/sales/index.ts';
import type { ReadScope } from '../../../platform/db/database.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead, toAmount } from '../operation.ts';

const DAYS_OF_A_WEEK = 7;
/** The totals are of all groups, whatever their number. */
const GROUPS = 1;

const Day = z.object({
  day: z.string(),
  /** One a currency. */
  totals: z.array(
    z.object({ currency: z.string(), orders: z.int(), units: z.int(), gross: z.number() }),
  ),
});

/** The sales of today and of the same weekday a week before, both whole days of the books. */
export const todaySalesOperation = defineRead({
  action: 'read_sales',
  capability: null,
  input: inputOf({}),
  output: z.object({ today: Day, week_before: Day, is_complete: z.boolean() }),
  async run({ scope, clock }) {
    const today = clock.now().toZonedDateTimeISO(BOOKS_TIMEZONE).toPlainDate();
    const now = await salesOf(scope, today);
    const before = await salesOf(scope, today.subtract({ days: DAYS_OF_A_WEEK }));
    return {
      today: { day: now.from, totals: now.totals.map(totalsOf) },
      week_before: { day: before.from, totals: before.totals.map(totalsOf) },
      is_complete: now.isComplete,
    };
  },
});

function salesOf(scope: ReadScope, date: Temporal.PlainDate) {
  const day = date.toString();
  const period = { from: day, to: day, marketplace: [], timezone: null };
  return salesSummary(scope, { ...period, groupBy: 'day', limit: GROUPS });
}

function totalsOf({ currency, orders, units, gross }: Figures) {
  return { currency, orders, units, gross: toAmount(gross) };
}
