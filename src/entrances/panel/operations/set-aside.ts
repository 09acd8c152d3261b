import { z } from 'zod';
import { type StreamName, TOO_LARGE } from '../../../connectors/contract.ts';
import { factsOf } from '../../../exchange/streams.ts';
import { connectionById, listSetAside } from '../../../features/connections/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const MOST_ROWS = 50;
const WHOLE = '(whole)';
const EXAMPLE_ID = '019a8f52-6c1e-7b3a-9d40-5e2f7a1b8c90';

/** The rows of an account that could not be read or stored, newest first. */
export const listSetAsideOperation = defineRead({
  action: 'manage_connections',
  capability: null,
  input: inputOf({
    connection_id: z.uuid().meta({ description: 'La cuenta conectada.', examples: [EXAMPLE_ID] }),
  }),
  output: z.object({
    data: z.array(
      z.object({
        stream: z.string(),
        /** Null where the service gave none, or one that could not be read. */
        id: z.string().nullable(),
        /** Where in the marketplace's answer; null = the whole row. */
        field: z.string().nullable(),
        /** Larger than an answer may be. */
        is_too_large: z.boolean(),
        last_at: z.string(),
      }),
    ),
    has_more: z.boolean(),
  }),
  async run({ scope }, { connectionId }) {
    const connection = await connectionById(scope, connectionId);
    if (!connection) throw fail('not_found');
    const rows = (await listSetAside(scope)).filter(
      ({ service, accountId }) =>
        service === connection.service && accountId === connection.accountId,
    );
    return {
      has_more: rows.length > MOST_ROWS,
      data: rows.slice(0, MOST_ROWS).map(({ stream, externalId, path, reason, at }) => ({
        stream: factsOf(stream as StreamName).title,
        id: externalId,
        field: path === WHOLE ? null : path,
        is_too_large: `${path}: ${reason}` === TOO_LARGE,
        last_at: formatMillis(at),
      })),
    };
  },
});
