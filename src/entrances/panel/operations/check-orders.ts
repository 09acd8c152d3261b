import { z } from 'zod';
import { checkOrdersJob } from '../../../exchange/jobs/check-orders.ts';
import { OUTCOMES } from '../../../exchange/sync/check-orders.ts';
import { connectionById } from '../../../features/connections/index.ts';
import { fail } from '../../../platform/failure.ts';
import { choice, inputOf } from '../../../platform/input-fields.ts';
import { failureOfJob } from '../../../platform/job-failure.ts';
import { formatMillis, type Instant } from '../../../platform/time.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { idField } from './line-shapes.ts';

const MOST_NAMED = 200;
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

/** What the comparison found. */
export const checkResultOperation = defineRead({
  action: 'manage_connections',
  capability: null,
  kind: 'poll',
  input: inputOf({ job_id: idField('El trabajo.') }),
  output: z.object({
    state: z.enum(['waiting', 'done', 'failed']),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    /** Null = it is not done. */
    check: z
      .object({
        has_list: z.boolean(),
        /** What changed in this time was compared; null = by an older release. */
        from: z.string().nullable(),
        to: z.string().nullable(),
        listed: z.int(),
        /** Those of `listed` that are ours now. */
        stored: z.int(),
        missing: z.array(z.object({ id: z.string(), outcome: z.enum(OUTCOMES) })),
        /** All of them, of which `missing` has the first. */
        missing_count: z.int(),
        /** Why the comparison ended before the end; null = it is complete. */
        stopped: z.string().nullable(),
      })
      .nullable(),
  }),
  async run({ exchange, organization }, { jobId }) {
    const job = await exchange.queue.result(checkOrdersJob, jobId);
    const owner = Owned.safeParse(job?.payload).data?.organizationId;
    if (!job || owner !== organization.id)
      throw fail('not_found', { message: 'No existe un trabajo con ese identificador.' });
    const { state, output } = job;
    const { code, message } =
      (state === 'failed' ? failureOfJob(output) : null) ?? fail('internal_error');
    return {
      state,
      error: state === 'failed' ? { code, message } : null,
      check: state === 'done' ? shown(Checked.parse(output)) : null,
    };
  },
});

const Owned = z.object({ organizationId: z.string() });
/** As the queue holds it. */
const Checked = z.object({
  hasList: z.boolean(),
  from: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  listed: z.int(),
  missing: z.array(z.object({ id: z.string(), outcome: z.enum(OUTCOMES) })),
  stopped: z.string().nullable(),
});

function shown({ hasList, from, to, listed, missing, stopped }: z.infer<typeof Checked>) {
  return {
    has_list: hasList,
    from,
    to,
    listed,
    stored: listed - missing.filter(({ outcome }) => outcome !== 'fetched').length,
    missing: missing.slice(0, MOST_NAMED),
    missing_count: missing.length,
    stopped,
  };
}
