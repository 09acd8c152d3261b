import { z } from 'zod';
import { checkOrdersJob } from '../../../exchange/jobs/check-orders.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { failureOfJob } from '../../../platform/job-failure.ts';
import { defineRead } from '../operation.ts';
import { CheckShape, shownCheck } from './check-shape.ts';
import { idField } from './line-fields.ts';

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
    check: CheckShape.nullable(),
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
      check: state === 'done' ? shownCheck(output) : null,
    };
  },
});

const Owned = z.object({ organizationId: z.string() });
