import type { ReadScope } from '../../platform/db/database.ts';
import { statement } from '../../platform/db/query.ts';
import type { Instant } from '../../platform/time.ts';

export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly created_at: Instant;
  readonly logged_at: Instant;
  readonly data: string;
  readonly envelope: string;
}

const CLOCK = statement<{ stamp: Instant }>(
  'events.read-clock',
  'select stamp from event_clocks where organization_id = $1',
);
const COLUMNS = 'id, type, created_at, logged_at, data, envelope';
const ALL = statement<EventRow>(
  'events.page',
  `select ${COLUMNS} from events
    where organization_id = $1 and logged_at >= $2::timestamptz and logged_at > $3::timestamptz
    order by logged_at limit $4::int`,
);
/** One walk for each type, so that rare ones are found as soon as common ones. */
const OF_TYPES = statement<EventRow>(
  'events.page-of-types',
  `select e.* from unnest($5::text[]) as wanted (type),
     lateral (select ${COLUMNS} from events
       where organization_id = $1 and type = wanted.type
         and logged_at >= $2::timestamptz and logged_at > $3::timestamptz
       order by logged_at limit $4::int) e
    order by e.logged_at limit $4::int`,
);

/** What an event is about, as the index of `0053-event-object-indexes.ts` has it. */
const OBJECT = `coalesce(data::jsonb ->> 'id', data::jsonb ->> 'uuid', data::jsonb ->> 'item_id',
  data::jsonb ->> 'line_id', data::jsonb ->> 'endpoint_id')`;
/** One object has few events: those of other types are left out after they were read. */
const OF_OBJECT = statement<EventRow>(
  'events.page-of-object',
  `select ${COLUMNS} from events
    where organization_id = $1 and logged_at >= $2::timestamptz and logged_at > $3::timestamptz
      and ${OBJECT} = $6 and (cardinality($5::text[]) = 0 or type = any($5::text[]))
    order by logged_at limit $4::int`,
);

const LATEST = statement<EventRow>(
  'events.latest',
  `select ${COLUMNS} from events
    where organization_id = $1 and logged_at >= $2::timestamptz and logged_at < $3::timestamptz
    order by logged_at desc limit $4::int`,
);
const LATEST_OF_TYPE = statement<EventRow>(
  'events.latest-of-type',
  `select ${COLUMNS} from events
    where organization_id = $1 and logged_at >= $2::timestamptz and logged_at < $3::timestamptz
      and type = $5
    order by logged_at desc limit $4::int`,
);
const LATEST_OF_OBJECT = statement<EventRow>(
  'events.latest-of-object',
  `select ${COLUMNS} from events
    where organization_id = $1 and logged_at >= $2::timestamptz and logged_at < $3::timestamptz
      and ${OBJECT} = $6 and ($5::text is null or type = $5)
    order by logged_at desc limit $4::int`,
);
/** Found by its delivery, since events are stored by their time. */
const DELIVERED = statement<EventRow>(
  'events.delivered',
  `select ${COLUMNS} from events
    where organization_id = $1 and (created_at, id) = (
      select event_at, event_id from webhook_deliveries
       where organization_id = $1 and endpoint_id = $2::uuid and event_id = $3)`,
);

/** the position of an organisation's last event; null = it never had one. */
export async function readEventClock(scope: ReadScope): Promise<Instant | null> {
  return (await scope.prepared(CLOCK, []))[0]?.stamp ?? null;
}

/** In the order of commits. @param after null = from the first one on */
export function pageOfEvents(
  scope: ReadScope,
  page: {
    /** Empty = all. */
    readonly type: readonly string[];
    /** Null = of any object. */
    readonly objectId: string | null;
    readonly from: Instant;
    readonly after: Instant | null;
    readonly limit: number;
  },
): Promise<EventRow[]> {
  const { type, objectId, from, after, limit } = page;
  const values = [from.toString(), after?.toString() ?? '-infinity', limit];
  if (objectId !== null) return scope.prepared(OF_OBJECT, [...values, type, objectId]);
  return type.length === 0
    ? scope.prepared(ALL, values)
    : scope.prepared(OF_TYPES, [...values, type]);
}

/** Newest first. @param before null = from the newest on */
export function latestEvents(
  scope: ReadScope,
  page: {
    /** Null = all. */
    readonly type: string | null;
    /** Null = of any object. */
    readonly objectId: string | null;
    readonly from: Instant;
    readonly before: Instant | null;
    readonly limit: number;
  },
): Promise<EventRow[]> {
  const { type, objectId, from, before, limit } = page;
  const values = [from.toString(), before?.toString() ?? 'infinity', limit];
  if (objectId !== null) return scope.prepared(LATEST_OF_OBJECT, [...values, type, objectId]);
  return type === null
    ? scope.prepared(LATEST, values)
    : scope.prepared(LATEST_OF_TYPE, [...values, type]);
}

/** @returns null where no such event was ever to be delivered there, or it is gone */
export async function deliveredEvent(
  scope: ReadScope,
  endpointId: string,
  eventId: string,
): Promise<EventRow | null> {
  return (await scope.prepared(DELIVERED, [endpointId, eventId]))[0] ?? null;
}
