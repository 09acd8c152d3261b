import { z } from 'zod';
import { SERVICES } from '../../../carriers/registry.ts';
import { STREAMS } from '../../../connectors/contract.ts';
import { factsOf } from '../../../exchange/streams.ts';
import { CONNECTION_STATES, connectionOverviews } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead } from '../operation.ts';

const STREAM_ORDER: readonly string[] = STREAMS;

/** Each account with what was read of it, for roles that manage connections. */
export const connectionOverviewOperation = defineRead({
  action: 'manage_connections',
  capability: null,
  input: inputOf({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.string(),
        service: z.enum(SERVICES),
        account_id: z.string(),
        name: z.string(),
        state: z.enum(CONNECTION_STATES),
        state_message: z.string().nullable(),
        streams: z.array(
          z.object({
            stream: z.enum(STREAMS),
            title: z.string(),
            /** Rows read since the account was connected. */
            items: z.int(),
            last_sync_at: z.string().nullable(),
            is_under_way: z.boolean(),
            set_aside: z.int(),
          }),
        ),
      }),
    ),
  }),
  async run({ scope }) {
    const overviews = await connectionOverviews(scope);
    return {
      data: overviews.map(({ id, service, accountId, name, state, stateMessage, streams }) => ({
        id,
        service,
        account_id: accountId,
        name,
        state,
        state_message: stateMessage,
        streams: streams
          .toSorted((a, b) => STREAM_ORDER.indexOf(a.stream) - STREAM_ORDER.indexOf(b.stream))
          .map((stream) => ({
            stream: stream.stream,
            title: factsOf(stream.stream).title,
            items: stream.items,
            last_sync_at: stream.lastSyncAt && formatMillis(stream.lastSyncAt),
            is_under_way: stream.isUnderWay,
            set_aside: stream.setAside,
          })),
      })),
    };
  },
});
