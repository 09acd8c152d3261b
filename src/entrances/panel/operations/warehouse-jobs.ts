import { z } from 'zod';
import { cancelGuideJob } from '../../../exchange/jobs/cancel-guide.ts';
import { inTransitJob } from '../../../exchange/jobs/in-transit.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf, wording } from '../../../platform/input-fields.ts';
import { failureOfJob } from '../../../platform/job-failure.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { actorOf } from './actors.ts';
import { Fault } from './attempt-shapes.ts';
import { idField } from './line-fields.ts';

const JOBS = { in_transit: inTransitJob, cancel_guide: cancelGuideJob } as const;
const KINDS = Object.keys(JOBS) as (keyof typeof JOBS)[];

/** «En camino» of a parcel of the own fleet; `warehouse.job` says what became of it. */
export const setInTransitOperation = defineWrite({
  action: 'set_in_transit',
  capability: null,
  input: inputOf({
    line_id: idField('La línea.'),
    account_id: wording('La cuenta de la paquetería; sin ella, la que tiene el envío.', '12345'),
  }),
  output: z.object({ job_id: z.string() }),
  async run({ database, exchange, organization, by, role }, { lineId, accountId }) {
    const actor = actorOf({ by, role });
    const data = { organizationId: organization.id, lineId, actor, accountId };
    const id = await database.write(({ handle }) =>
      exchange.queue.enqueue(handle, inTransitJob, { data }),
    );
    return { job_id: String(id) };
  },
});

/** What became of a job that asked a carrier. */
export const readJobOperation = defineRead({
  action: 'prepare_lines',
  capability: null,
  kind: 'poll',
  input: inputOf({
    kind: z.enum(KINDS).meta({ description: 'Qué se pidió.', examples: ['in_transit'] }),
    job_id: idField('El trabajo.'),
  }),
  output: z.object({
    state: z.enum(['waiting', 'done', 'failed']),
    /** Null = it did not fail. `accounts`: those to choose from. */
    error: Fault.extend({
      accounts: z.array(z.object({ id: z.string(), name: z.string() })),
    }).nullable(),
    /** The carrier's own word for the state that it shows now; null = it was not asked. */
    carrier_status: z.string().nullable(),
  }),
  async run({ exchange, organization }, { kind, jobId }) {
    const job = await exchange.queue.result(JOBS[kind], jobId);
    const owner = Owned.safeParse(job?.payload).data?.organizationId;
    if (!job || owner !== organization.id)
      throw fail('not_found', { message: 'No existe un trabajo con ese identificador.' });
    const { state, output } = job;
    return {
      state,
      error: state === 'failed' ? faultOf(output) : null,
      carrier_status: Answered.safeParse(output).data?.carrier_status ?? null,
    };
  },
});

const Owned = z.object({ organizationId: z.string() });
const Answered = z.object({ carrier_status: z.string().nullable() });
const Accounts = z.object({ accounts: z.array(z.object({ id: z.string(), name: z.string() })) });

function faultOf(output: unknown) {
  const { code, message, details } = failureOfJob(output) ?? fail('internal_error');
  return { code, message, accounts: Accounts.safeParse(details).data?.accounts ?? [] };
}
