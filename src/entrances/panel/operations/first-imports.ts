import { z } from 'zod';
import { SERVICES } from '../../../carriers/registry.ts';
import { factsOf } from '../../../exchange/streams.ts';
import { firstImports } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

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
