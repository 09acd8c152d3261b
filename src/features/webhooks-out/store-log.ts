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

/** In the order of commits. @param after null = from the first one on */
export function pageOfEvents(
  scope: ReadScope,
  page: {
    /** Empty = all. */
    readonly type: readonly string[];
    readonly from: Instant;
    readonly after: Instant | null;
    readonly limit: number;
  },
): Promise<EventRow[]> {
  const { type, from, after, limit } = page;
  const values = [from.toString(), after?.toString() ?? '-infinity', limit];
  return type.length === 0
    ? scope.prepared(ALL, values)
    : scope.prepared(OF_TYPES, [...values, type]);
}
