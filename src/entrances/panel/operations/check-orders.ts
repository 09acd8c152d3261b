import { z } from 'zod';
import { checkOrdersJob } from '../../../exchange/jobs/check-orders.ts';
import { connectionById } from '../../../features/connections/index.ts';
import { fail } from '../../../platform/failure.ts';
import { choice, inputOf } from '../../../platform/input-fields.ts';
import { formatMillis, type Instant } from '../../../platform/time.ts';
import { defineWrite } from '../operation.ts';
import { idField } from './line-fields.ts';

const MOST_DAYS = 90;
const USUAL_DAYS = 7;
const MONTHS = ['this', 'last'] as const;

/** Begins to compare an account's orders with those that its marketplace lists. */
export const checkOrdersOperation = defineWrite({
  action: 'manage_connections',
  capability: null,
  isJob: true,
  input: inputOf({
    connection_id: idField('La cuenta conectada.'),
    days: z
      .int()
      .min(1)
      .max(MOST_DAYS)
      .default(USUAL_DAYS)
      .meta({ description: 'Cuántos días hacia atrás.', examples: [7] }),
    month: choice(MONTHS, 'Desde el inicio de este mes o del pasado, en vez de por días.', 'this'),
  }),
  output: z.object({ job_id: z.string() }),
  async run({ exchange, organization, database }, { connectionId, days, month }) {
    const since = month && beginningOf(month, exchange.clock.now(), organization.timezone);
    const about = { organizationId: organization.id, connectionId };
    const data = { ...about, days, ...(since && { since: formatMillis(since) }) };
    const id = await database.write(async (scope) => {
      const connection = await connectionById(scope, connectionId);
      if (!connection || connection.state === 'disconnected') throw fail('not_found');
      return exchange.queue.enqueue(scope.handle, checkOrdersJob, { data });
    });
    return { job_id: String(id) };
  },
});

function beginningOf(month: (typeof MONTHS)[number], now: Instant, timezone: string): Instant {
  const first = now.toZonedDateTimeISO(timezone).startOfDay().with({ day: 1 });
  const wanted = month === 'this' ? first : first.subtract({ months: 1 });
  return wanted.startOfDay().toInstant();
}
