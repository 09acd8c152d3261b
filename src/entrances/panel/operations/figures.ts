import { z } from 'zod';
import type { ServiceSlug } from '../../../carriers/contract.ts';
import { serviceName } from '../../../carriers/registry.ts';
import { prepaidHistory } from '../../../features/balances/index.ts';
import { ordersBySlot, syncDelays, syncDelaysBySlot } from '../../../features/orders/index.ts';
import { webhooksBySlot } from '../../../features/receipts/index.ts';
import { carrierEventsBySlot } from '../../../features/shipments/index.ts';
import { guidesBySlot } from '../../../features/warehouse/index.ts';
import { choice, inputOf } from '../../../platform/input-fields.ts';
import { formatMillis, type Instant } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';

/** How the last day and the last week are divided. */
const SPANS = { day: { slots: 24, minutes: 60 }, week: { slots: 28, minutes: 360 } } as const;
const NAMES = Object.keys(SPANS) as [keyof typeof SPANS, ...(keyof typeof SPANS)[]];
const DELAY_HOURS = 24;
const BALANCE_DAYS = 30;
const MOST_BALANCES = 500;

const amount = z.number().nullable();

/** What happened in the last day by hour, or in the last week by six hours. */
export const readFiguresOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({ span: choice(NAMES, 'El último día o la última semana.', 'week') }),
  output: z.object({
    /** All of the span, those in which nothing happened too. */
    slots: z.array(
      z.object({
        at: z.string(),
        orders: z.int(),
        webhooks: z.int(),
        guides: z.int(),
        guides_failed: z.int(),
      }),
    ),
    /** Of the last day: seconds from a change at the marketplace to its commit here. */
    delays: z.array(
      z.object({
        marketplace: z.string(),
        name: z.string(),
        changes: z.int(),
        median: z.int(),
        p95: z.int(),
        /** By hour, those without a change too. */
        hours: z.array(z.object({ at: z.string(), p95: z.int().nullable() })),
      }),
    ),
    /** The prepaid accounts of carriers in the last month, when an amount changed. */
    balances: z.array(
      z.object({
        service: z.string(),
        name: z.string(),
        account_id: z.string(),
        currency: z.string(),
        at: z.string(),
        balance: amount,
        available: amount,
        credit_limit: amount,
      }),
    ),
  }),
  async run({ scope, clock }, { span }) {
    const { slots, minutes } = SPANS[span ?? 'day'];
    const now = clock.now();
    const to = now.round({ smallestUnit: 'hour', roundingMode: 'floor' }).add({ hours: 1 });
    const from = to.subtract({ minutes: slots * minutes });
    const asked = { from, to, minutes };
    const orders = countsOf(await ordersBySlot(scope, asked));
    const webhooks = countsOf(await webhooksBySlot(scope, asked));
    const events = countsOf(await carrierEventsBySlot(scope, asked));
    const guides = new Map((await guidesBySlot(scope, asked)).map((row) => [keyOf(row.at), row]));
    const hours = hoursUntil(to);
    const delays = await syncDelays(scope, now.subtract({ hours: DELAY_HOURS }));
    const lastDay = { from: to.subtract({ hours: DELAY_HOURS }), to, minutes: 60 };
    const late = await syncDelaysBySlot(scope, lastDay);
    const since = now.subtract({ hours: 24 * BALANCE_DAYS });
    const balances = await prepaidHistory(scope, since, MOST_BALANCES);
    return {
      slots: Array.from({ length: slots }, (_, index) => {
        const at = from.add({ minutes: index * minutes });
        const key = keyOf(at);
        return {
          at: formatMillis(at),
          orders: orders.get(key) ?? 0,
          webhooks: (webhooks.get(key) ?? 0) + (events.get(key) ?? 0),
          guides: guides.get(key)?.made ?? 0,
          guides_failed: guides.get(key)?.failed ?? 0,
        };
      }),
      delays: delays.map((delay) => {
        const rows = late.filter(({ marketplace }) => marketplace === delay.marketplace);
        const p95 = new Map(rows.map((row) => [keyOf(row.at), row.p95]));
        return {
          ...delay,
          name: nameOf(delay.marketplace),
          hours: hours.map((at) => ({ at: formatMillis(at), p95: p95.get(keyOf(at)) ?? null })),
        };
      }),
      balances: balances.map((row) => ({
        service: row.service,
        name: nameOf(row.service),
        account_id: row.account_id,
        currency: row.currency,
        at: formatMillis(row.as_of),
        balance: toAmount(row.balance),
        available: toAmount(row.available),
        credit_limit: toAmount(row.credit_limit),
      })),
    };
  },
});

/** The hours of a day that ends then. */
function hoursUntil(to: Instant): Instant[] {
  return Array.from({ length: DELAY_HOURS }, (_, index) =>
    to.subtract({ hours: DELAY_HOURS - index }),
  );
}

function countsOf(rows: readonly { readonly at: Instant; readonly count: number }[]) {
  return new Map(rows.map(({ at, count }) => [keyOf(at), count]));
}

function keyOf(at: Instant): number {
  return at.epochMilliseconds;
}

function nameOf(service: string): string {
  return serviceName(service as ServiceSlug);
}
