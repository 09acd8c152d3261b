import { bulk, type GivenBy } from '../../platform/db/bulk.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { removeBefore, retention } from '../../platform/db/retention.ts';
import type { Instant } from '../../platform/time.ts';

interface Clocked {
  readonly stamp: Instant;
}

const STORED = ['id', 'type', 'created_at', 'data', 'envelope'] as const;
/** `accounts` is not stored: JSON objects of `marketplace` and `account_id`. */
const EVENTS = bulk('events', STORED, { accounts: 'text' });

/**
 * Each event gets its own microsecond of the organisation's event clock, whose row is locked until
 * the commit: so the order of `logged_at` is the order of commits, and a reader of the log that
 * goes on from the last one it saw misses nothing.
 */
const LOGGED = (given: string) => `clock as (
     insert into event_clocks as clock (organization_id, stamp)
     values ($1, $2::timestamptz + ($3::int - 1) * interval '1 microsecond')
     on conflict (organization_id) do update
       set stamp = greatest(
         (clock.stamp at time zone 'UTC' + $3::int * interval '1 microsecond') at time zone 'UTC',
         excluded.stamp)
     returning stamp),
   added as (
     insert into events (organization_id, ${STORED.join(', ')}, logged_at)
     select $1, ${STORED.join(', ')},
            (clock.stamp at time zone 'UTC'
              - ($3::int - row_number() over ()) * interval '1 microsecond') at time zone 'UTC'
       from clock, ${given}
     returning id, created_at)`;
/**
 * Whether an event is about an account that the endpoint's filters let through: its own, that of a
 * shipment's order, or one of those given with it.
 */
const PASSES_FILTERS = `exists (
  select from jsonb_array_elements(
      jsonb_build_array(given.data::jsonb, given.data::jsonb -> 'order_ref')
      || given.accounts::jsonb) as account
   where (cardinality(e.marketplaces) = 0 or account ->> 'marketplace' = any(e.marketplaces))
     and (cardinality(e.account_ids) = 0 or account ->> 'account_id' = any(e.account_ids)))`;
/** Also where the clock of the process is ahead. */
const DUE_NOW = 'least($2::timestamptz, now())';
/**
 * An endpoint is not notified of itself. An empty filter lets everything through, and news of
 * endpoints pass those of marketplaces and accounts.
 */
const INSERT = EVENTS.statement<Clocked>(
  'events.insert',
  (given) => `with ${LOGGED(given)},
   queued as (
   insert into webhook_deliveries (organization_id, endpoint_id, event_at, event_id, state, due_at)
   select $1, e.id, given.created_at, given.id, 'pending', ${DUE_NOW}
     from webhook_endpoints e join ${given}
       on (cardinality(e.types) = 0 or given.type = any(e.types))
      and case when given.type in ('endpoint.disabled', 'message.exhausted')
               then given.data::jsonb ->> 'endpoint_id' <> e.id::text
               else case when cardinality(e.marketplaces) + cardinality(e.account_ids) = 0 then true
                         else ${PASSES_FILTERS} end end
    where e.organization_id = $1 and e.state = 'enabled')
   select stamp from clock`,
);
const INSERT_FOR = EVENTS.statement<Clocked>(
  'events.insert-for-endpoint',
  (given) => `with ${LOGGED(given)},
   queued as (
   insert into webhook_deliveries (organization_id, endpoint_id, event_at, event_id, state, due_at)
   select $1, $4::uuid, added.created_at, added.id, 'pending', ${DUE_NOW} from added)
   select stamp from clock`,
);

/** Of events, deliveries, attempts, and endpoints that a plan disabled. */
export const KEEP_DAYS = 30;

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
      () => "state = 'disabled_by_plan'",
    ),
  ),
];

type NewEvent = GivenBy<typeof EVENTS>;

/** @returns the position of the last one in the log */
export async function insert(
  scope: WriteScope,
  now: Instant,
  events: readonly NewEvent[],
): Promise<Instant> {
  const values = INSERT.values([now.toString(), events.length], events);
  return placeIn(await scope.prepared(INSERT, values));
}

/** For this endpoint alone, whatever it filters. @returns its position in the log */
export async function insertFor(
  scope: WriteScope,
  endpointId: string,
  now: Instant,
  event: NewEvent,
): Promise<Instant> {
  const values = INSERT_FOR.values([now.toString(), 1, endpointId], [event]);
  return placeIn(await scope.prepared(INSERT_FOR, values));
}

function placeIn([row]: readonly Clocked[]): Instant {
  if (!row) throw new Error('the event clock gave no stamp');
  return row.stamp;
}
