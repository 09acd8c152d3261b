import { effectiveTerms } from '../../../features/organizations/index.ts';
import { PLANS } from '../../../features/plans/index.ts';
import {
  EVENT_FILTERS,
  EVENT_SHAPE,
  listEvents,
  nothingNew,
} from '../../../features/webhooks-out/index.ts';
import { fail } from '../../../platform/failure.ts';
import { orNull, time } from '../../../platform/fields.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { queryOf } from '../../query.ts';
import { answeringWith, defineOperation, EVERYWHERE } from '../operation.ts';
import { pageAnswer, pageShape, reading } from './calls.ts';

const QUERY = queryOf(inputOf({ ...pageInput({ usual: 50, most: 100 }), ...EVENT_FILTERS }));

const SHAPES = {
  Event: EVENT_SHAPE,
  EventList: pageShape('Una página del registro de eventos.', EVENT_SHAPE, {
    gap_until: orNull(
      time(
        'Entre tu cursor y este instante hubo o pudo haber eventos que tu plan ya no muestra; null = no falta ninguno.',
        '2026-11-13T15:00:00.000Z',
      ),
    ),
  }),
};

/** What `events:read` allows. */
export const EVENT_OPERATIONS = answeringWith(SHAPES, [
  defineOperation({
    path: '/manage/v1/events',
    name: 'listEvents',
    summary: 'Lista eventos',
    description:
      `El registro de eventos en el orden en que se registraron, tal como se entregan a los endpoints: de los últimos ${PLANS.intermedio.eventDays} días en Intermedio, ` +
      `de ${PLANS.avanzado.eventDays} en Avanzado y Experto. Para enterarte de lo nuevo, vuelve a consultar con el último \`next_cursor\`: no se pierde ningún evento ` +
      'si no dejas pasar esos días. Si pasan, `pagination.gap_until` dice hasta cuándo faltan eventos; las órdenes que cambiaron desde ' +
      'tu última consulta las da `updated_since` en `GET /v1/orders`.',
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
    planRefusal: ({ eventDays }) =>
      eventDays === 0 ? fail('plan_does_not_include_webhooks') : null,
    async run(parts, request) {
      const { eventDays } = effectiveTerms(request.access.organization);
      const { cursors, eventClocks } = parts;
      const { query } = request;
      const { id } = request.access.organization;
      const logged = await eventClocks.get(id);
      const { events, nextCursor, hasMore, gapUntil } =
        nothingNew(id, cursors, query, logged) ??
        (await reading(parts, request, (scope) =>
          listEvents(scope, cursors, query, eventDays, logged),
        ));
      const bodies = events.map(({ body }) => body);
      const gap = { gap_until: gapUntil && formatMillis(gapUntil) };
      return pageAnswer(request, bodies, nextCursor, hasMore, gap);
    },
  }),
]);
