import { z } from 'zod';
import { SERVICES } from '../../../carriers/registry.ts';
import { factsOf } from '../../../exchange/streams.ts';
import {
  connectionById,
  firstImports,
  lastRuns,
  RUN_OUTCOMES,
} from '../../../features/connections/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const EXAMPLE_ID = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';

/** How far the first imports under way are. */
export const listImportsOperation = defineRead({
  kind: 'poll',
  action: 'read_orders',
  capability: null,
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({
        service: z.enum(SERVICES),
        account_id: z.string(),
        stream: z.string(),
        /** What sellers wait for first: orders, of a carrier its shipments. */
        is_vital: z.boolean(),
        /** The days that it reads; null = since the account exists. */
        from: z.string().nullable(),
        to: z.string(),
        items: z.int(),
        /** As the service counts them; null = it counts none. */
        total: z.int().nullable(),
        /** Null = too young to measure. */
        per_minute: z.int().nullable(),
        /** By that pace; null = without a total or a pace, or all rows are read. */
        remaining_seconds: z.int().nullable(),
      }),
    ),
  }),
  async run({ scope }) {
    // A stream that is no vital one stops alone: its import is not awaited then.
    const imports = (await firstImports(scope)).filter(
      ({ stream, hasFailed }) => factsOf(stream).isVital || !hasFailed,
    );
    return {
      data: imports.map(
        ({ connection, stream, from, to, perMinute, remainingSeconds, ...rest }) => ({
          service: connection.service,
          account_id: connection.accountId,
          stream: factsOf(stream).title,
          is_vital: factsOf(stream).isVital,
          from: from && formatMillis(from),
          to: formatMillis(to),
          items: rest.items,
          total: rest.total,
          per_minute: perMinute,
          remaining_seconds: remainingSeconds,
        }),
      ),
    };
  },
});

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
