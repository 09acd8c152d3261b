import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

const EVENTS = bulk('events', ['id', 'type', 'created_at', 'data', 'envelope']);

/** An endpoint is not told of itself. An empty filter lets everything through. */
const INSERT = EVENTS.statement(
  'events.insert',
  (given) => `with added as (
     insert into events (organization_id, ${EVENTS.names})
     select $1, ${EVENTS.names} from ${given} returning ${EVENTS.names})
   insert into webhook_deliveries (organization_id, endpoint_id, event_at, event_id, state, due_at)
   select $1, e.id, added.created_at, added.id, 'pending', $2::timestamptz
     from webhook_endpoints e join added
       on (cardinality(e.types) = 0 or added.type = any(e.types))
      and case when cardinality(e.marketplaces) = 0 then true
               else added.data::jsonb ->> 'marketplace' = any(e.marketplaces) end
      and case when cardinality(e.account_ids) = 0 then true
               else added.data::jsonb ->> 'account_id' = any(e.account_ids) end
      and case when added.type in ('endpoint.disabled', 'message.exhausted')
               then added.data::jsonb ->> 'endpoint_id' <> e.id::text else true end
    where e.organization_id = $1 and e.state = 'enabled'`,
);

const KEEP_DAYS = 30;

export const RETENTIONS = [
  retention('events', KEEP_DAYS, removeBefore('events.remove', 'events', 'created_at')),
  retention(
    'webhook_deliveries',
    KEEP_DAYS,
    removeBefore('webhook-deliveries.remove', 'webhook_deliveries', 'event_at'),
  ),
  retention(
    'webhook_attempts',
    KEEP_DAYS,
    removeBefore('webhook-attempts.remove', 'webhook_attempts', 'at'),
  ),
  retention(
    'webhook_endpoints',
    KEEP_DAYS,
    removeBefore(
      'webhook-endpoints.remove',
      'webhook_endpoints',
      'disabled_at',
      "state = 'disabled_by_plan'",
    ),
  ),
];

export async function insert(
  scope: WriteScope,
  now: Instant,
  events: readonly GivenBy<typeof EVENTS>[],
): Promise<void> {
  await scope.prepared(INSERT, INSERT.values([now.toString()], events));
}
