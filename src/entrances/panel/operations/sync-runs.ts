import { z } from 'zod';
import { factsOf } from '../../../exchange/streams.ts';
import { connectionById, lastRuns, RUN_OUTCOMES } from '../../../features/connections/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const EXAMPLE_ID = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';

/** The last sync runs of an account, newest first. */
export const listRunsOperation = defineRead({
  action: 'manage_connections',
  capability: null,
  input: inputOf({
    connection_id: z.uuid().meta({ description: 'La cuenta conectada.', examples: [EXAMPLE_ID] }),
  }),
  output: z.object({
    data: z.array(
      z.object({
        stream: z.string(),
        outcome: z.enum(RUN_OUTCOMES),
        begun_at: z.string(),
        ended_at: z.string(),
        /** Rows that it read. */
        items: z.int(),
        /** Why it stopped; null = it did not. */
        reason: z.string().nullable(),
      }),
    ),
  }),
  async run({ scope }, { connectionId }) {
    if (!(await connectionById(scope, connectionId))) throw fail('not_found');
    return {
      data: (await lastRuns(scope, connectionId)).map((run) => ({
        stream: factsOf(run.stream).title,
        outcome: run.outcome,
        begun_at: formatMillis(run.begunAt),
        ended_at: formatMillis(run.endedAt),
        items: run.items,
        reason: run.reason,
      })),
    };
  },
});
