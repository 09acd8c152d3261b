import { EVENT_FILTERS, listEvents } from '../../../features/webhooks-out/index.ts';
import { fail } from '../../../platform/failure.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { queryOf, readQuery } from '../../query.ts';
import { EVERYWHERE, type Operation } from '../operation.ts';
import { reading, webhookTerms } from './calls.ts';

const QUERY = queryOf(inputOf({ ...pageInput({ usual: 50, most: 100 }), ...EVENT_FILTERS }));

/** What `events:read` allows. */
export const EVENT_OPERATIONS: readonly Operation[] = [
  {
    path: '/manage/v1/events',
    name: 'listEvents',
    summary: 'Lista eventos',
    description:
      'El registro de eventos en el orden en que se registraron, tal como se entregan a los endpoints. Para enterarte de lo nuevo, ' +
      'vuelve a consultar con el último `next_cursor`: no se pierde ningún evento.',
    scope: 'events:read',
    query: QUERY,
    answer: 'EventList',
    refused: { limit: '500' },
    failures: [
      ...EVERYWHERE,
      'insufficient_scope',
      'invalid_cursor',
      'plan_does_not_include_webhooks',
    ],
    async run(parts, request) {
      const { eventDays } = webhookTerms(request);
      if (eventDays === 0) throw fail('plan_does_not_include_webhooks');
      const query = readQuery(QUERY, request.query);
      const { events, nextCursor, hasMore } = await reading(parts, request, (scope) =>
        listEvents(scope, parts.cursors, query, eventDays),
      );
      const pagination = JSON.stringify({ next_cursor: nextCursor, has_more: hasMore });
      // The bodies are JSON text already.
      return `{"data":[${events.map(({ body }) => body)}],"pagination":${pagination},"meta":{"request_id":"${request.requestId}"}}`;
    },
  },
];
